#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/base/clock.hpp"
#include "moblo/gradients/gradient_matrix.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// The lower problem as the constraint grad_w f(alpha, omega) = 0, at the current z.
struct Stationarity {
  std::vector<double> losses;  ///< F_i(z)
  double lower_loss = 0;       ///< f(z)
  torch::Tensor slope;         ///< grad_w f(z)
  Batch lower_batch;           ///< of f
};

/// Shapes `matrix` for objectives + 1 rows over (alpha, omega) and writes, with a multiplier v_i of the constraint for
/// each objective, rows of `multipliers`:
///   row i = grad_z (F_i - <v_i, grad_w f>) = (grad_alpha F_i - (d2f/dalpha dw) v_i,  grad_w F_i - (d2f/dw2) v_i)
///   row m = (0, grad_w f)
/// One product with f's second derivatives an objective.
Stationarity lagrangian_rows(BilevelProblem& problem, const torch::Tensor& multipliers, GradientMatrix& matrix,
                             PhaseTimer& timer);

/// The same with
///   row i = grad_z F_i
///   row m = grad_z |grad_w f|^2 / 2 = ((d2f/dalpha dw) grad_w f,  (d2f/dw2) grad_w f)
/// One product in all.
Stationarity penalty_rows(BilevelProblem& problem, std::int64_t objectives, GradientMatrix& matrix, PhaseTimer& timer);

}  // namespace moblo::gradients
