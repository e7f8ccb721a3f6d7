#pragma once

#include <torch/types.h>

#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// w_0 = alpha, the learned initialisation of the lower loop: every lower parameter starts at the upper one of the same
/// name and shape, and every row of a table at the upper parameter that has the table's name and a row's shape. Alpha
/// may hold more than these (step sizes, decays).

/// Throws Error(problem) that names a lower parameter without such a start.
void refuse_without_upper_start(BilevelProblem& problem);

/// Whether f, on the next lower batch, has a gradient by alpha at all.
bool lower_loss_reads_alpha(BilevelProblem& problem);

/// alpha as a point of the lower level, flat.
torch::Tensor upper_start(BilevelProblem& problem);

/// columns += dw_0/dalpha' v, the share of the start in a gradient by alpha; `columns` are alpha's.
void add_share_of_start(BilevelProblem& problem, const torch::Tensor& v, const torch::Tensor& columns);

}  // namespace moblo::gradients
