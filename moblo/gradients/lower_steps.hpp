#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/gradients/lower_solve.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// w_0, in memory of its own.
torch::Tensor starting_point(BilevelProblem& problem, const InnerSolve& inner);

/// Whether the lower loop goes on from a point with this loss; not from NaN.
inline bool within_limit(double loss, const InnerSolve& inner) {
  return loss <= inner.loss_limit;
}

/// grad_w f(alpha, w) at the bound w, flat. Running statistics move on, as in plain training.
torch::Tensor lower_gradient(BilevelProblem& problem, const Batch& batch);

/// Steps `first` to T - 1 of `inner`, in place on the bound buffer; step 0, and without fresh batches all, on `batch`.
/// The loss is held against the limit before every step.
void run_lower_loop(BilevelProblem& problem, const InnerSolve& inner, const Batch& batch, std::int64_t first);

}  // namespace moblo::gradients
