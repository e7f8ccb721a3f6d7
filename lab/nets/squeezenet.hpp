#pragma once

#include <torch/torch.h>

namespace moblo::lab::nets {

/// SqueezeNet 1.1 (Iandola et al. 2016) with torchvision's names: `features.0.weight` .. `classifier.1.bias`.
class SqueezeNetImpl : public torch::nn::Module {
 public:
  explicit SqueezeNetImpl(std::int64_t classes = 1000);

  /// The mean over positions of the last feature map: [rows, 512]. What a frozen extractor gives.
  torch::Tensor pooled(const torch::Tensor& images);
  /// Scores of the classes.
  torch::Tensor forward(const torch::Tensor& images);

 private:
  torch::nn::Sequential features_, classifier_;
};
TORCH_MODULE(SqueezeNet);

}  // namespace moblo::lab::nets
