#pragma once

#include <torch/torch.h>

#include <vector>

#include "moblo/gradients/value_function.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo {

/// One step of the lower loop, in place on the buffer that the pack is bound to; `pieces` are its parts, one a leaf.
/// Returns the loss before it.
double lower_step(BilevelProblem& problem, const Batch& batch, double step_size, std::vector<torch::Tensor>& pieces);

/// Steps `first` to T - 1 of `inner`, in place on the bound buffer; step 0, and without fresh batches all, on `batch`.
void run_lower_loop(BilevelProblem& problem, const InnerSolve& inner, const Batch& batch, std::int64_t first);

/// w_T of `inner`, on batches of the lower stream. The model and its running statistics stay as they are.
torch::Tensor solve_lower(BilevelProblem& problem, const InnerSolve& inner);

}  // namespace moblo
