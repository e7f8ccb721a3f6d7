#pragma once

#include <torch/torch.h>

#include "moblo/base/rng.hpp"

namespace moblo::lab::nets {

// From our own generator: torch's would tie the start to its version.

/// U(-bound, bound).
void draw_uniform(torch::Tensor to, double bound, Rng& rng);
/// N(0, deviation^2).
void draw_normal(torch::Tensor to, double deviation, Rng& rng);

/// torch's rules for a module and all below it, in the order of registration: dense and convolution layers
/// U(-1/sqrt(fan_in), 1/sqrt(fan_in)), recurrent cells with the hidden size in its place, batch norms the identity.
void draw_weights(torch::nn::Module& module, Rng& rng);

}  // namespace moblo::lab::nets
