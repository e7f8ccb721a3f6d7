#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/gradients/lower_solve.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// w_0, in memory of its own.
torch::Tensor starting_point(BilevelProblem& problem, const InnerSolve& inner);

/// One step of the lower loop, in place on the buffer that the pack is bound to; `pieces` are its parts, one per leaf.
/// Returns the loss before it.
double lower_step(BilevelProblem& problem, const Batch& batch, double step_size, std::vector<torch::Tensor>& pieces);

/// grad_w f(alpha, w) at the bound w, flat. Running statistics move on, as in plain training.
torch::Tensor lower_gradient(BilevelProblem& problem, const Batch& batch);

/// Steps `first` to T - 1 of `inner`, in place on the bound buffer; step 0, and without fresh batches all, on `batch`.
void run_lower_loop(BilevelProblem& problem, const InnerSolve& inner, const Batch& batch, std::int64_t first);

}  // namespace moblo::gradients
