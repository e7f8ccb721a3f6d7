#include "lab/nets/deeplab.hpp"

#include <fmt/format.h>

#include "lab/nets/initial_weights.hpp"
#include "lab/nets/resnet.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::nets {
namespace {

using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::ReLU;
using torch::nn::Sequential;

constexpr std::int64_t stride = 8;  ///< pixels of the image for one of the trunk's map

class DeepLabTrunkImpl : public torch::nn::Module {
 public:
  DeepLabTrunkImpl(const ResNetOptions& options, Rng& rng) : backbone_(register_module("backbone", ResNet(options))) {
    backbone_->draw_weights(rng);
  }
  torch::Tensor forward(const torch::Tensor& images) {
    if (images.size(2) % stride == 0 && images.size(3) % stride == 0) return backbone_->forward(images);
    throw Error(ErrorKind::data, fmt::format("images of {}x{} pixels", images.size(2), images.size(3)),
                fmt::format("both sizes must be multiples of {}", stride), "Choose another size");
  }
  std::int64_t channels() const { return backbone_->channels(); }

 private:
  ResNet backbone_;
};
TORCH_MODULE(DeepLabTrunk);

Sequential normed(const Conv2dOptions& convolution) {
  return Sequential(Conv2d(Conv2dOptions(convolution).bias(false)), BatchNorm2d(convolution.out_channels()), ReLU());
}

/// Atrous spatial pyramid pooling (Chen et al. 2017): a 1x1 convolution, 3x3 ones of several dilations and the map's
/// mean, side by side, projected. torchvision's names.
class PyramidImpl : public torch::nn::Module {
 public:
  PyramidImpl(std::int64_t inputs, const DeepLabOptions& options) {
    const std::int64_t channels = options.channels;
    convs_->push_back(normed(Conv2dOptions(inputs, channels, 1)));
    for (const auto rate : options.rates) {
      convs_->push_back(normed(Conv2dOptions(inputs, channels, 3).padding(rate).dilation(rate)));
    }
    convs_->push_back(Sequential(torch::nn::AdaptiveAvgPool2d(1),
                                 Conv2d(Conv2dOptions(inputs, channels, 1).bias(false)), BatchNorm2d(channels),
                                 ReLU()));
    register_module("convs", convs_);
    project_ = normed(Conv2dOptions(static_cast<std::int64_t>(convs_->size()) * channels, channels, 1));
    project_->push_back(torch::nn::Dropout(options.dropout));
    register_module("project", project_);
  }

  torch::Tensor forward(const torch::Tensor& map) {
    std::vector<torch::Tensor> branches;
    for (const auto& branch : *convs_) branches.push_back(branch->as<Sequential>()->forward(map));
    branches.back() = branches.back().expand_as(branches.front());
    return project_->forward(torch::cat(branches, 1));
  }

 private:
  torch::nn::ModuleList convs_;
  Sequential project_{nullptr};
};
TORCH_MODULE(Pyramid);

/// Numbered as torchvision's: 0 the pyramid, then convolution, batch norm, ReLU, convolution.
class DeepLabHeadImpl : public torch::nn::Module {
 public:
  DeepLabHeadImpl(std::int64_t inputs, const DeepLabOptions& options, std::int64_t outputs) {
    layers_->push_back(register_module("0", Pyramid(inputs, options)));
    const auto channels = options.channels;
    layers_->push_back(register_module("1", Conv2d(Conv2dOptions(channels, channels, 3).padding(1).bias(false))));
    layers_->push_back(register_module("2", BatchNorm2d(channels)));
    layers_->push_back(register_module("3", ReLU()));
    layers_->push_back(register_module("4", Conv2d(Conv2dOptions(channels, outputs, 1))));
  }

  torch::Tensor forward(const torch::Tensor& map) {
    return torch::upsample_bilinear2d(layers_->forward(map), {stride * map.size(2), stride * map.size(3)},
                                      /*align_corners=*/false);
  }

 private:
  Sequential layers_;  ///< not registered itself: its members are, without a prefix
};
TORCH_MODULE(DeepLabHead);

}  // namespace

std::unique_ptr<TaskNetwork> make_deeplab(const DeepLabOptions& options, Rng& rng) {
  DeepLabTrunk trunk(ResNetOptions{.depth = options.depth, .width = options.width, .dilated = true}, rng);
  std::vector<torch::nn::AnyModule> heads;
  for (const auto outputs : options.outputs) {
    DeepLabHead head(trunk->channels(), options, outputs);
    draw_weights(*head, rng);
    heads.emplace_back(head);
  }
  return assemble(torch::nn::AnyModule(trunk), heads);
}

}  // namespace moblo::lab::nets
