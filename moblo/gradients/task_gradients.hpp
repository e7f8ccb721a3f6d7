#pragma once

#include <Eigen/Core>
#include <vector>

#include "moblo/aggregation/gradient_matrix.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo {

/// The losses of all tasks on one batch, with their graph: what single-level methods differentiate by omega alone.
struct TaskLosses {
  std::vector<torch::Tensor> tensors;
  Eigen::VectorXd values;
};

TaskLosses task_losses(BilevelProblem& problem, const Batch& batch);

/// grad_omega L_1 .. L_m into rows first_row .. first_row + m - 1 of a matrix that has omega's columns only.
void task_jacobian(BilevelProblem& problem, const TaskLosses& losses, std::int64_t first_row, GradientMatrix& matrix);

/// grad_omega of sum_i weights_i L_i into row 0, by one backward pass.
void weighted_gradient(BilevelProblem& problem, const TaskLosses& losses, const Eigen::VectorXd& weights,
                       GradientMatrix& matrix);

/// The losses at the current omega, without gradients; running statistics stay.
Eigen::VectorXd task_loss_values(BilevelProblem& problem, const Batch& batch);

}  // namespace moblo
