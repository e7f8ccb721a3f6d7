#pragma once

#include <torch/torch.h>

#include <vector>

#include "moblo/base/rng.hpp"

namespace moblo::lab::nets {

/// A ResNet without its classifier (He et al. 2016), with torchvision's names.
struct ResNetOptions {
  std::int64_t depth = 18;  ///< 18 (basic blocks) or 50 (bottlenecks)
  std::int64_t width = 64;  ///< channels of the first stage
  /// Stages 3 and 4 dilate by 2 and 4 instead of striding: maps of one eighth of the image's size, not a 32nd.
  bool dilated = false;
};

class ResNetImpl : public torch::nn::Module {
 public:
  explicit ResNetImpl(const ResNetOptions& options);

  /// The last feature map: [rows, channels(), height, width].
  torch::Tensor forward(const torch::Tensor& images);
  std::int64_t channels() const { return channels_; }
  /// N(0, 2/fan_out) for convolutions, batch norms the identity.
  void draw_weights(Rng& rng);

 private:
  torch::nn::Sequential stage(const ResNetOptions& options, std::size_t number, std::int64_t blocks);

  std::int64_t channels_, dilation_ = 1;
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::BatchNorm2d bn1_{nullptr};
  std::vector<torch::nn::Sequential> stages_;
};
TORCH_MODULE(ResNet);

}  // namespace moblo::lab::nets
