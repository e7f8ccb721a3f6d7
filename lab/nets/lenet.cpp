#include "lab/nets/lenet.hpp"

#include <fmt/format.h>

#include "lab/nets/initial_weights.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::nets {
namespace {

/// Side of the map after both convolutions (each takes 4) and maxima (each halves).
std::int64_t last_side(std::int64_t image) {
  return ((image - 4) / 2 - 4) / 2;
}

class LeNetTrunkImpl : public torch::nn::Module {
 public:
  explicit LeNetTrunkImpl(const LeNetOptions& options)
      : image_{-1, options.channels, options.image, options.image},
        conv1_(register_module("conv1", torch::nn::Conv2d(options.channels, options.first, 5))),
        conv2_(register_module("conv2", torch::nn::Conv2d(options.first, options.second, 5))),
        fc_(register_module("fc",
                            torch::nn::Linear(options.second * last_side(options.image) * last_side(options.image),
                                              options.features))) {}

  torch::Tensor forward(const torch::Tensor& inputs) {
    auto map = torch::relu(torch::max_pool2d(conv1_->forward(inputs.reshape(image_)), 2));
    map = torch::relu(torch::max_pool2d(conv2_->forward(map), 2));
    return torch::relu(fc_->forward(map.flatten(1)));
  }

 private:
  std::vector<std::int64_t> image_;
  torch::nn::Conv2d conv1_, conv2_;
  torch::nn::Linear fc_;
};
TORCH_MODULE(LeNetTrunk);

class LeNetHeadImpl : public torch::nn::Module {
 public:
  LeNetHeadImpl(const LeNetOptions& options, std::int64_t classes)
      : fc1_(register_module("fc1", torch::nn::Linear(options.features, options.features))),
        dropout_(register_module("dropout", torch::nn::Dropout(options.dropout))),
        fc2_(register_module("fc2", torch::nn::Linear(options.features, classes))) {}

  torch::Tensor forward(const torch::Tensor& features) {
    return fc2_->forward(dropout_->forward(torch::relu(fc1_->forward(features))));
  }

 private:
  torch::nn::Linear fc1_;
  torch::nn::Dropout dropout_;
  torch::nn::Linear fc2_;
};
TORCH_MODULE(LeNetHead);

}  // namespace

std::unique_ptr<TaskNetwork> make_lenet(const LeNetOptions& options, Rng& rng) {
  if (last_side(options.image) < 1) {
    throw Error(ErrorKind::config, fmt::format("images of {0}x{0} pixels", options.image),
                "are too small for two convolutions and two maxima", "Use images of 16x16 pixels or more");
  }
  LeNetTrunk trunk(options);
  draw_weights(*trunk, rng);
  std::vector<torch::nn::AnyModule> heads;
  for (const auto classes : options.classes) {
    LeNetHead head(options, classes);
    draw_weights(*head, rng);
    heads.emplace_back(head);
  }
  return assemble(torch::nn::AnyModule(trunk), heads);
}

}  // namespace moblo::lab::nets
