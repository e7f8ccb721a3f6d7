#include "lab/nets/squeezenet.hpp"

namespace moblo::lab::nets {
namespace {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;

/// A narrow 1x1 convolution, then 1x1 and 3x3 ones side by side.
class FireImpl : public torch::nn::Module {
 public:
  FireImpl(std::int64_t inputs, std::int64_t narrow, std::int64_t half)
      : squeeze_(register_module("squeeze", Conv2d(Conv2dOptions(inputs, narrow, 1)))),
        expand1x1_(register_module("expand1x1", Conv2d(Conv2dOptions(narrow, half, 1)))),
        expand3x3_(register_module("expand3x3", Conv2d(Conv2dOptions(narrow, half, 3).padding(1)))) {}

  torch::Tensor forward(const torch::Tensor& map) {
    const auto narrow = torch::relu(squeeze_->forward(map));
    return torch::relu(torch::cat({expand1x1_->forward(narrow), expand3x3_->forward(narrow)}, 1));
  }

 private:
  Conv2d squeeze_, expand1x1_, expand3x3_;
};
TORCH_MODULE(Fire);

torch::nn::MaxPool2d halve() {
  return torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(3).stride(2).ceil_mode(true));
}

}  // namespace

SqueezeNetImpl::SqueezeNetImpl(std::int64_t classes)
    : features_(register_module(
          "features",
          torch::nn::Sequential(Conv2d(Conv2dOptions(3, 64, 3).stride(2)), torch::nn::ReLU(), halve(), Fire(64, 16, 64),
                                Fire(128, 16, 64), halve(), Fire(128, 32, 128), Fire(256, 32, 128), halve(),
                                Fire(256, 48, 192), Fire(384, 48, 192), Fire(384, 64, 256), Fire(512, 64, 256)))),
      classifier_(register_module("classifier",
                                  torch::nn::Sequential(torch::nn::Dropout(0.5), Conv2d(Conv2dOptions(512, classes, 1)),
                                                        torch::nn::ReLU(), torch::nn::AdaptiveAvgPool2d(1)))) {}

torch::Tensor SqueezeNetImpl::pooled(const torch::Tensor& images) {
  return features_->forward(images).mean({2, 3});
}

torch::Tensor SqueezeNetImpl::forward(const torch::Tensor& images) {
  return classifier_->forward(features_->forward(images)).flatten(1);
}

}  // namespace moblo::lab::nets
