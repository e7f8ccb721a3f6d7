#include "moblo/gradients/task_gradients.hpp"

#include <fmt/format.h>

#include <utility>

#include "moblo/base/error.hpp"
#include "moblo/gradients/gradient_counts.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/targets.hpp"

namespace moblo::gradients {
namespace {

Targets omega_targets(BilevelProblem& problem, const GradientMatrix& matrix, std::int64_t row) {
  Targets targets;
  targets.add(problem.lower(), matrix.lower_part(row));
  return targets;
}

Eigen::VectorXd values_of(const std::vector<torch::Tensor>& losses) {
  Eigen::VectorXd values(static_cast<Eigen::Index>(losses.size()));
  for (std::size_t i = 0; i < losses.size(); ++i) values(static_cast<Eigen::Index>(i)) = value_of(losses[i]);
  return values;
}

/// The parameters whose places are `columns`: those from coordinate `first` of omega on, as many as fit.
Targets part_of_omega(ParameterPack& pack, std::int64_t first, const torch::Tensor& columns) {
  Targets part;
  std::int64_t at = -first;
  for (const auto& leaf : pack.leaves()) {
    if (at >= 0 && at + leaf.numel() <= columns.numel()) {
      part.leaves.push_back(leaf);
      part.places.push_back(columns.narrow(0, at, leaf.numel()).view(leaf.sizes()));
    }
    at += leaf.numel();
  }
  return part;
}

torch::Tensor weighted_sum(const std::vector<torch::Tensor>& losses, const Eigen::VectorXd& weights) {
  torch::Tensor total;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto part = losses[i] * weights(static_cast<Eigen::Index>(i));
    total = total.defined() ? total + part : part;
  }
  return total;
}

}  // namespace

TaskLosses task_losses(BilevelProblem& problem, const Batch& batch, std::int64_t objectives) {
  TaskLosses losses{upper_losses(problem, batch, objectives), {}};
  losses.values = values_of(losses.tensors);
  return losses;
}

void task_jacobian(BilevelProblem& problem, const TaskLosses& losses, std::int64_t first_row, GradientMatrix& matrix) {
  for (std::size_t i = 0; i < losses.tensors.size(); ++i) {
    auto targets = omega_targets(problem, matrix, first_row + static_cast<std::int64_t>(i));
    differentiate_into(losses.tensors[i], targets, /*keep_graph=*/i + 1 < losses.tensors.size());
    ++gradient_counts().upper;
  }
}

SharedRepresentation& representation_of(BilevelProblem& problem, const std::string& place) {
  auto* found = dynamic_cast<SharedRepresentation*>(&problem);
  const char* reason = found ? found->no_representation() : "the problem names none";
  if (!reason) return *found;
  throw Error(ErrorKind::config, place, fmt::format("there is no representation that all tasks read: {}", reason),
              "Take gradients = \"parameters\"");
}

CutTaskLosses cut_task_losses(SharedRepresentation& problem, const Batch& batch) {
  auto cut = problem.cut_at_representation(batch);
  auto values = values_of(cut.losses);
  return {{std::move(cut.losses), std::move(values)}, std::move(cut.representation), std::move(cut.leaf)};
}

void cut_task_jacobian(BilevelProblem& problem, const CutTaskLosses& losses, GradientMatrix& matrix) {
  const std::int64_t width = losses.leaf.numel(), shared = problem.shared_columns();
  for (std::size_t i = 0; i < losses.tensors.size(); ++i) {
    const auto row = matrix.row(static_cast<std::int64_t>(i));
    auto targets = part_of_omega(problem.lower(), shared, row.narrow(0, width, row.numel() - width));
    targets.leaves.push_back(losses.leaf);
    targets.places.push_back(row.narrow(0, 0, width).view(losses.leaf.sizes()));
    differentiate_into(losses.tensors[i], targets, /*keep_graph=*/i + 1 < losses.tensors.size());
    ++gradient_counts().upper;
  }
}

torch::Tensor through_trunk(BilevelProblem& problem, const CutTaskLosses& losses, const torch::Tensor& gradient) {
  auto columns = torch::zeros({problem.shared_columns()}, problem.lower().options());
  auto targets = part_of_omega(problem.lower(), 0, columns);
  const auto along = (losses.representation * gradient.view(losses.representation.sizes())).sum();
  differentiate_into(along, targets, /*keep_graph=*/false);
  return columns;
}

void weighted_gradient(BilevelProblem& problem, const TaskLosses& losses, const Eigen::VectorXd& weights,
                       GradientMatrix& matrix) {
  auto targets = omega_targets(problem, matrix, 0);
  differentiate_into(weighted_sum(losses.tensors, weights), targets, /*keep_graph=*/false);
  ++gradient_counts().upper;  // all tasks in one pass
}

std::vector<bool> loss_rows(const std::vector<torch::Tensor>& losses, const std::vector<torch::Tensor>& parameters,
                            GradientMatrix& matrix) {
  std::vector<bool> read(parameters.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto gradients = torch::autograd::grad({losses[i]}, parameters, {}, /*retain_graph=*/i + 1 < losses.size(),
                                                 /*create_graph=*/false, /*allow_unused=*/true);
    const auto row = matrix.row(static_cast<std::int64_t>(i));
    std::int64_t at = 0;
    for (std::size_t j = 0; j < parameters.size(); ++j) {
      const auto first = std::exchange(at, at + parameters[j].numel());
      if (!gradients[j].defined()) continue;
      row.narrow(0, first, parameters[j].numel()).view(parameters[j].sizes()).copy_(gradients[j]);
      read[j] = true;
    }
  }
  return read;
}

std::vector<torch::Tensor> weighted_gradients(const std::vector<torch::Tensor>& losses, const Eigen::VectorXd& weights,
                                              const std::vector<torch::Tensor>& parameters) {
  return torch::autograd::grad({weighted_sum(losses, weights)}, parameters, {}, /*retain_graph=*/false,
                               /*create_graph=*/false, /*allow_unused=*/true);
}

Eigen::VectorXd task_loss_values(BilevelProblem& problem, const Batch& batch, std::int64_t objectives) {
  const torch::NoGradGuard no_grad;
  const problem::BuffersKept buffers_kept(problem.lower());
  return task_losses(problem, batch, objectives).values;
}

}  // namespace moblo::gradients
