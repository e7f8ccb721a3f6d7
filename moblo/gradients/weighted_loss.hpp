#pragma once

#include <torch/types.h>

#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// upper sum_i F_i(alpha, w) + lower f(alpha, w) + ridge |w|^2, a function of w.
struct WeightedLoss {
  double upper = 0, lower = 1, ridge = 0;
};

struct Descent {
  std::int64_t steps = 1;
  double step_size = 0.1;
  bool fresh_batches = true;  ///< new ones each step, or the next ones throughout, which then stay the next ones
};

/// f(alpha, w) on a batch. Like all that follows: at the current alpha, also of rows that have moved since their slice
/// was opened; without gradients by alpha; running statistics stay.
double lower_loss_at(BilevelProblem& problem, const torch::Tensor& omega, const Batch& batch);

/// The gradient by w at the model's omega. The upper batch is used where loss.upper is not zero.
torch::Tensor omega_gradient(BilevelProblem& problem, const WeightedLoss& loss, const Batch& lower, const Batch& upper);

/// Steps of gradient descent on the loss, from `start`.
torch::Tensor descend(BilevelProblem& problem, const WeightedLoss& loss, const torch::Tensor& start,
                      const Descent& descent);

}  // namespace moblo::gradients
