#pragma once

#include <torch/types.h>

namespace moblo::gradients {

/// Of torch's own generator, which a user's dropout draws from.
torch::Tensor torch_random_state();
void set_torch_random_state(const torch::Tensor& state);

}  // namespace moblo::gradients
