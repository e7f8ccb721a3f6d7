#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "lab/nets/task_network.hpp"
#include "moblo/problem/stored_tensors.hpp"

namespace moblo::lab::nets {

/// Parameters and buffers of a module by their names, which are torchvision's where the network is.
std::vector<records::StoredTensor> weights_of(const torch::nn::Module& module);

/// Copies values into a module; half precision is widened. Missing, unexpected and misshapen tensors are all named in
/// one Error(data), and then nothing was copied. What begins with one of `ignored` is passed over, and the counters of
/// batch norms, which old files lack, may be missing.
void load_weights(torch::nn::Module& module, const std::vector<records::StoredTensor>& weights,
                  const std::string& source, const std::vector<std::string>& ignored = {});

/// Pretrained weights of torchvision for the trunk's `backbone`; their classifier `fc` is not needed.
void load_backbone(TaskNetwork& network, const std::vector<records::StoredTensor>& weights, const std::string& source);

}  // namespace moblo::lab::nets
