#include "lab/nets/resnet.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lab/nets/initial_weights.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::nets {
namespace {

using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;
using torch::nn::Sequential;

Conv2d convolution(std::int64_t inputs, std::int64_t outputs, std::int64_t side, std::int64_t stride = 1,
                   std::int64_t dilation = 1) {
  return Conv2d(torch::nn::Conv2dOptions(inputs, outputs, side)
                    .stride(stride)
                    .padding(side / 2 * dilation)
                    .dilation(dilation)
                    .bias(false));
}

/// Of a block: where it strides it keeps the dilation of the stage before, so that its receptive field has no holes.
struct Shape {
  std::int64_t inputs, width, outputs, stride, first_dilation, dilation;
};

/// x -> relu(shortcut(x) + residual(x)); two 3x3 convolutions, or 1x1, 3x3 and 1x1 in a bottleneck.
class BlockImpl : public torch::nn::Module {
 public:
  BlockImpl(const Shape& shape, bool bottleneck) {
    if (bottleneck) {
      add(convolution(shape.inputs, shape.width, 1));
      add(convolution(shape.width, shape.width, 3, shape.stride, shape.first_dilation));
      add(convolution(shape.width, shape.outputs, 1));
    } else {
      add(convolution(shape.inputs, shape.width, 3, shape.stride, shape.first_dilation));
      add(convolution(shape.width, shape.outputs, 3, 1, shape.dilation));
    }
    if (shape.stride == 1 && shape.inputs == shape.outputs) return;
    downsample_ = register_module("downsample", Sequential(convolution(shape.inputs, shape.outputs, 1, shape.stride),
                                                           BatchNorm2d(shape.outputs)));
  }

  torch::Tensor forward(const torch::Tensor& map) {
    auto residual = map;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (i > 0) residual = torch::relu(residual);
      residual = layers_[i].second->forward(layers_[i].first->forward(residual));
    }
    return torch::relu(residual + (downsample_ ? downsample_->forward(map) : map));
  }

 private:
  void add(const Conv2d& convolution) {
    const auto number = layers_.size() + 1;
    layers_.emplace_back(
        register_module(fmt::format("conv{}", number), convolution),
        register_module(fmt::format("bn{}", number), BatchNorm2d(convolution->options.out_channels())));
  }

  std::vector<std::pair<Conv2d, BatchNorm2d>> layers_;
  Sequential downsample_{nullptr};
};
TORCH_MODULE(Block);

std::vector<std::int64_t> blocks_of(std::int64_t depth) {
  if (depth == 18) return {2, 2, 2, 2};
  if (depth == 50) return {3, 4, 6, 3};
  throw Error(ErrorKind::config, fmt::format("a ResNet of depth {}", depth), "depths are 18 and 50", "Choose one");
}

}  // namespace

ResNetImpl::ResNetImpl(const ResNetOptions& options)
    : channels_(options.width),
      conv1_(register_module("conv1", convolution(3, options.width, 7, 2))),
      bn1_(register_module("bn1", BatchNorm2d(options.width))) {
  const auto blocks = blocks_of(options.depth);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    stages_.push_back(register_module(fmt::format("layer{}", i + 1), stage(options, i, blocks[i])));
  }
}

Sequential ResNetImpl::stage(const ResNetOptions& options, std::size_t number, std::int64_t blocks) {
  const bool bottleneck = options.depth == 50, dilates = options.dilated && number >= 2;
  const std::int64_t width = options.width << number, outputs = bottleneck ? 4 * width : width;
  const std::int64_t before = std::exchange(dilation_, dilates ? 2 * dilation_ : dilation_);
  Sequential out;
  for (std::int64_t i = 0; i < blocks; ++i) {
    out->push_back(Block(Shape{.inputs = channels_,
                               .width = width,
                               .outputs = outputs,
                               .stride = i > 0 || number == 0 || dilates ? 1 : 2,
                               .first_dilation = i > 0 ? dilation_ : before,
                               .dilation = dilation_},
                         bottleneck));
    channels_ = outputs;
  }
  return out;
}

torch::Tensor ResNetImpl::forward(const torch::Tensor& images) {
  auto map = torch::relu(bn1_->forward(conv1_->forward(images)));
  map = torch::max_pool2d(map, 3, 2, 1);
  for (auto& stage : stages_) map = stage->forward(map);
  return map;
}

void ResNetImpl::draw_weights(Rng& rng) {
  for (const auto& module : modules()) {
    const auto* convolution = module->as<Conv2d>();
    if (!convolution) continue;
    const auto& weight = convolution->weight;
    const double fan_out = static_cast<double>(weight.size(0) * weight.size(2) * weight.size(3));
    draw_normal(weight, std::sqrt(2 / fan_out), rng);
  }
}

}  // namespace moblo::lab::nets
