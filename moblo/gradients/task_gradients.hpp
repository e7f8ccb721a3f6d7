#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "moblo/gradients/gradient_matrix.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/problem/shared_representation.hpp"

namespace moblo::gradients {

/// The losses of all tasks on one batch, with their graph: what single-level methods differentiate by omega alone.
struct TaskLosses {
  std::vector<torch::Tensor> tensors;
  Eigen::VectorXd values;
};

TaskLosses task_losses(BilevelProblem& problem, const Batch& batch, std::int64_t objectives);

/// grad_omega L_1 .. L_m into rows first_row .. first_row + m - 1 of a matrix that has omega's columns only.
void task_jacobian(BilevelProblem& problem, const TaskLosses& losses, std::int64_t first_row, GradientMatrix& matrix);

/// The same, cut at the representation that all tasks read.
struct CutTaskLosses : TaskLosses {
  torch::Tensor representation, leaf;
};

/// Throws Error(config) where the problem has no such representation; `place` is the option that asked for it.
SharedRepresentation& representation_of(BilevelProblem& problem, const std::string& place);

CutTaskLosses cut_task_losses(SharedRepresentation& problem, const Batch& batch);

/// As task_jacobian, with the gradients by the representation where those by the shared parameters would be.
void cut_task_jacobian(BilevelProblem& problem, const CutTaskLosses& losses, GradientMatrix& matrix);

/// A gradient by the representation, one dimension, as one by the shared parameters.
torch::Tensor through_trunk(BilevelProblem& problem, const CutTaskLosses& losses, const torch::Tensor& gradient);

/// grad_omega of sum_i weights_i L_i into row 0, by one backward pass.
void weighted_gradient(BilevelProblem& problem, const TaskLosses& losses, const Eigen::VectorXd& weights,
                       GradientMatrix& matrix);

/// d losses_i / d parameters into row i; parameters that some loss depends on are marked in what it returns. For
/// tensors that belong to no problem.
std::vector<bool> loss_rows(const std::vector<torch::Tensor>& losses, const std::vector<torch::Tensor>& parameters,
                            GradientMatrix& matrix);

/// The gradients of sum_i weights_i losses_i; undefined for parameters that it does not depend on.
std::vector<torch::Tensor> weighted_gradients(const std::vector<torch::Tensor>& losses, const Eigen::VectorXd& weights,
                                              const std::vector<torch::Tensor>& parameters);

/// The losses at the current omega, without gradients; running statistics stay.
Eigen::VectorXd task_loss_values(BilevelProblem& problem, const Batch& batch, std::int64_t objectives);

}  // namespace moblo::gradients
