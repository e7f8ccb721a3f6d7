#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/gradients/hypergradient_mode.hpp"
#include "moblo/gradients/value_function.hpp"

namespace moblo::gradients {

/// How w_T(alpha) is found and F_i(alpha, w_T(alpha)) differentiated.
struct HypergradientSolve {
  InnerSolve inner;
  HypergradientMode mode = HypergradientMode::reverse;
  std::int64_t solver_steps = 20;  ///< most CG steps, or terms of the Neumann series; of the implicit modes
  double tolerance = 1e-10;        ///< CG ends where the residual, relative to the right side, is at most this
};

/// Iterates of the lower loop that are kept at one time, w_T apart.
std::int64_t most_iterates(const HypergradientSolve& how);

struct Hypergradients {
  std::vector<double> losses;      ///< F_i(alpha, w_T)
  double lower_loss = 0;           ///< f(alpha, omega_k)
  double reached_loss = 0;         ///< f(alpha, w_T), on the same batch
  torch::Tensor reached;           ///< w_T
  Batch lower_batch;               ///< of f(alpha, omega_k)
  Batch upper_batch;               ///< of the F_i
  std::int64_t iterates_held = 0;  ///< the most at one time, for the memory's sake

  double q() const { return lower_loss - reached_loss; }
};

/// Shapes `matrix` for one row per objective over alpha's columns and writes dF_i(alpha, w_T(alpha))/dalpha into it.
/// Where w_0 = alpha, the modes that walk back through the steps add the share of the start, v_0; the implicit ones
/// take w_T for a solution, which does not depend on where the loop began. Per-sample alpha get columns for the rows of
/// all batches that the derivative passes through: those of the T steps, or, implicitly, of the one batch at w_T. On
/// return the slices of the upper pack, which the caller opened, are these columns.
Hypergradients hypergradients(BilevelProblem& problem, const HypergradientSolve& how, std::int64_t objectives,
                              GradientMatrix& matrix, PhaseTimer& timer);

}  // namespace moblo::gradients
