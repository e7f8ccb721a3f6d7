#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// F_1 .. F_m on a batch. Throws Error(problem) where there are not `objectives` of them, or where one is no scalar:
/// a problem may break its contract in any step, and a wrong row of the gradient matrix would go unnoticed.
std::vector<torch::Tensor> upper_losses(BilevelProblem& problem, const Batch& batch, std::int64_t objectives);
/// f, held to the same.
torch::Tensor lower_loss(BilevelProblem& problem, const Batch& batch);

/// Throws Error(problem) unless `loss` is a scalar of a floating-point type on the CPU.
void refuse_bad_loss(const torch::Tensor& loss, const std::string& name);

}  // namespace moblo::gradients
