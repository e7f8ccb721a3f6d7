#include "moblo/gradients/task_gradients.hpp"

#include "moblo/gradients/targets.hpp"

namespace moblo {
namespace {

Targets omega_targets(BilevelProblem& problem, const GradientMatrix& matrix, std::int64_t row) {
  Targets targets;
  targets.add(problem.lower(), matrix.lower_part(row));
  return targets;
}

}  // namespace

TaskLosses task_losses(BilevelProblem& problem, const Batch& batch) {
  TaskLosses losses{problem.upper_losses(batch), {}};
  losses.values.resize(static_cast<Eigen::Index>(losses.tensors.size()));
  for (std::size_t i = 0; i < losses.tensors.size(); ++i) {
    losses.values(static_cast<Eigen::Index>(i)) = value_of(losses.tensors[i]);
  }
  return losses;
}

void task_jacobian(BilevelProblem& problem, const TaskLosses& losses, std::int64_t first_row, GradientMatrix& matrix) {
  for (std::size_t i = 0; i < losses.tensors.size(); ++i) {
    auto targets = omega_targets(problem, matrix, first_row + static_cast<std::int64_t>(i));
    differentiate_into(losses.tensors[i], targets, /*keep_graph=*/i + 1 < losses.tensors.size());
  }
}

void weighted_gradient(BilevelProblem& problem, const TaskLosses& losses, const Eigen::VectorXd& weights,
                       GradientMatrix& matrix) {
  torch::Tensor total;
  for (std::size_t i = 0; i < losses.tensors.size(); ++i) {
    const auto part = losses.tensors[i] * weights(static_cast<Eigen::Index>(i));
    total = total.defined() ? total + part : part;
  }
  auto targets = omega_targets(problem, matrix, 0);
  differentiate_into(total, targets, /*keep_graph=*/false);
}

Eigen::VectorXd task_loss_values(BilevelProblem& problem, const Batch& batch) {
  const torch::NoGradGuard no_grad;
  const BuffersKept buffers_kept(problem.lower());
  return task_losses(problem, batch).values;
}

}  // namespace moblo
