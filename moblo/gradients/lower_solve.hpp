#pragma once

#include <torch/types.h>

#include <cstdint>
#include <limits>

#include "moblo/base/export.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// T steps  w <- w - eta grad_w f(alpha, w).
struct MOBLO_API InnerSolve {
  std::int64_t steps = 1;     ///< T
  double step_size = 0.1;     ///< eta
  bool fresh_batches = true;  ///< a new batch each step after the first, or the first one throughout
  double loss_limit = std::numeric_limits<double>::infinity();  ///< the loop ends where the loss passes it
  bool from_current = true;                                     ///< w_0 = omega_k; otherwise `start`
  torch::Tensor start{};
  bool from_upper = false;  ///< w_0 = alpha, parameter by parameter of the same name; the two above have no say then

  bool starts_at_omega() const { return from_current && !from_upper; }
};

/// w_T of `inner`, on batches of the lower stream. The model and its running statistics stay as they are.
MOBLO_API torch::Tensor solve_lower(BilevelProblem& problem, const InnerSolve& inner);

}  // namespace moblo::gradients

namespace moblo {

using gradients::InnerSolve;
using gradients::solve_lower;

}  // namespace moblo
