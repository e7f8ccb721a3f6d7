#pragma once

#include <torch/torch.h>

#include <functional>
#include <string>
#include <vector>

#include "lab/nets/weights.hpp"

namespace moblo::lab::nets {

/// A frozen network without its classifier: pooled features of images.
struct FeatureNetwork {
  std::string name;  ///< squeezenet1_1, resnet18 or resnet50
  std::int64_t width = 0;
  std::function<torch::Tensor(const torch::Tensor& images)> features;  ///< [rows, 3, h, w] to [rows, width]
};

/// Which network these weights are of is seen from their names, which are torchvision's. Error(data) for weights of no
/// such network; `source` is for the message.
FeatureNetwork make_feature_network(const std::vector<records::StoredTensor>& weights, const std::string& source);

}  // namespace moblo::lab::nets
