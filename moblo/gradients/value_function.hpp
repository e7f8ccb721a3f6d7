#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/base/clock.hpp"
#include "moblo/gradients/gradient_matrix.hpp"
#include "moblo/gradients/lower_solve.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// What q(z) = f(z) - f(alpha, w~_T) is made of, on one batch.
struct ValueGap {
  double lower_loss = 0;    ///< f(z)
  double reached_loss = 0;  ///< f(alpha, w~_T)
  torch::Tensor reached;    ///< w~_T
  double q() const { return lower_loss - reached_loss; }
};

/// Shapes `matrix` for objectives + 1 rows and writes grad q into the last one:
/// (grad_alpha f(z) - grad_alpha f(alpha, w~_T), grad_omega f(z)). Nothing is differentiated through w~.
/// Per-sample alpha get columns only for the rows of the batch; the slices of the upper pack must be open.
ValueGap value_function_gradient(BilevelProblem& problem, const InnerSolve& inner, std::int64_t objectives,
                                 GradientMatrix& matrix, PhaseTimer& timer);

struct CarriedGap : ValueGap {
  torch::Tensor next;  ///< w~ - eta grad_w f(alpha, w~)
};

/// The same with a w~ that is carried from step to step, and its next step of size eta: one pass of f at z and one at
/// w~. Where `carried` is undefined, w~ = omega - eta grad_omega f(z).
CarriedGap carried_gap(BilevelProblem& problem, const torch::Tensor& carried, double eta, std::int64_t objectives,
                       GradientMatrix& matrix, PhaseTimer& timer);

/// Writes grad F_1 .. grad F_m into the first rows and returns the losses.
std::vector<double> upper_jacobian(BilevelProblem& problem, const Batch& batch, GradientMatrix& matrix);

}  // namespace moblo::gradients
