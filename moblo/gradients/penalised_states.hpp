#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/base/clock.hpp"
#include "moblo/gradients/gradient_matrix.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// One lower state y_i per objective beside the model z, s the weight of f against F_i:
///   z   -= eta grad_w f(alpha, z)
///   y_i -= eta grad_w phi_i(alpha, y_i),  phi_i = f + F_i / s
struct PenalisedSolve {
  std::int64_t steps = 1;
  double step_size = 0.1;     ///< eta
  bool fresh_batches = true;  ///< new batches each step after the first, or the first ones throughout
  double penalty = 1;         ///< s
};

struct PenalisedStates {
  torch::Tensor model;            ///< z after the steps
  torch::Tensor states;           ///< y_i after the steps, row by row
  std::vector<double> losses;     ///< F_i(alpha, z)
  std::vector<double> residuals;  ///< |s grad_w phi_i(alpha, y_i)|^2; 0 where y_i minimises phi_i
  double lower_loss = 0;          ///< f(alpha, omega_k)
  double reached_loss = 0;        ///< f(alpha, z), on the same batch
};

/// Takes the steps from omega and from the rows of `states`, and writes
///   h_i = s (grad_alpha phi_i(alpha, y_i) - grad_alpha f(alpha, z))
/// into the rows of `matrix`, over alpha's columns. s multiplies a difference, so all points of a step see the same
/// batches and the same random numbers (dropout). The h_i are taken on the first pair of batches.
PenalisedStates penalised_gradients(BilevelProblem& problem, const PenalisedSolve& how, const torch::Tensor& states,
                                    GradientMatrix& matrix, PhaseTimer& timer);

}  // namespace moblo::gradients
