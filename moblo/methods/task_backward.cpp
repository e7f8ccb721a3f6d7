#include "moblo/methods/task_backward.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "moblo/base/error.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/targets.hpp"
#include "moblo/gradients/task_gradients.hpp"
#include "moblo/methods/method.hpp"
#include "moblo/methods/weighting_steps.hpp"

namespace moblo::methods {
namespace {

[[noreturn]] void refuse(const std::string& given, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::data, given, rule, next);
}

std::int64_t rows_needed_by(const Weighting& weighting) {
  if (weighting.tasks() == 0) {
    throw Error(ErrorKind::usage, "a weighting", "was not started", "Call start(number of tasks) first");
  }
  return weighting.tasks() * weighting.needs().samples;
}

void refuse_bad_losses(const std::vector<torch::Tensor>& losses, std::int64_t rows) {
  if (static_cast<std::int64_t>(losses.size()) != rows) {
    refuse(fmt::format("{} losses", losses.size()), fmt::format("the weighting was started for {}", rows),
           "Give one loss per task and batch");
  }
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto name = fmt::format("loss {}", i + 1);
    gradients::refuse_bad_loss(losses[i], name);
    if (!losses[i].requires_grad()) refuse(name, "has no gradient", "Compute it from the parameters, without detach()");
    if (!std::isfinite(gradients::value_of(losses[i]))) throw NotFinite(name);
  }
}

/// Shared ones first, then the heads'; each once.
std::vector<torch::Tensor> all_of(const TaskParameters& parameters, Eigen::Index tasks) {
  if (!parameters.heads.empty() && static_cast<Eigen::Index>(parameters.heads.size()) != tasks) {
    refuse(fmt::format("{} heads", parameters.heads.size()), fmt::format("there are {} tasks", tasks),
           "Give one head per task, or none");
  }
  std::vector<torch::Tensor> all = parameters.shared;
  for (const auto& head : parameters.heads) all.insert(all.end(), head.begin(), head.end());
  if (parameters.shared.empty()) refuse("shared", "holds no parameters", "Name those that all tasks share");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto name = fmt::format("parameter {}", i + 1);
    if (!all[i].defined() || !all[i].is_leaf() || !all[i].requires_grad()) {
      refuse(name, "is no leaf that requires a gradient", "Give parameters of a module, and no frozen ones");
    }
    if (all[i].scalar_type() != all[0].scalar_type() || !all[i].device().is_cpu()) {
      refuse(name, "has another type or device than the first",
             "Give parameters of one floating-point type on the CPU");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (all[i].is_same(all[j])) refuse(name, fmt::format("is also parameter {}", j + 1), "Name each of them once");
    }
  }
  return all;
}

std::int64_t count_of(const std::vector<torch::Tensor>& tensors) {
  std::int64_t total = 0;
  for (const auto& tensor : tensors) total += tensor.numel();
  return total;
}

void add_to_gradient(torch::Tensor parameter, const torch::Tensor& gradient) {
  if (parameter.grad().defined()) {
    parameter.mutable_grad().add_(gradient);
  } else {
    parameter.mutable_grad() = gradient;
  }
}

void refuse_not_finite_rows(const Eigen::MatrixXd& gramian) {
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    if (!gramian.row(i).allFinite()) throw NotFinite(fmt::format("a product with gradient {}", i + 1));
  }
}

/// Each parameter gets its piece of `flat`, unless no loss reads it.
void add_pieces(const std::vector<torch::Tensor>& parameters, const std::vector<bool>& read,
                const torch::Tensor& flat) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& parameter = parameters[i];
    if (read[i]) add_to_gradient(parameter, flat.narrow(0, at, parameter.numel()).view(parameter.sizes()));
    at += parameter.numel();
  }
}

Eigen::VectorXd values_of(const std::vector<torch::Tensor>& losses, Eigen::Index tasks) {
  Eigen::VectorXd values(tasks);
  for (Eigen::Index i = 0; i < tasks; ++i) values(i) = gradients::value_of(losses[static_cast<std::size_t>(i)]);
  return values;
}

/// Weights that need no gradients are known first: then one pass is enough.
TaskWeights one_backward_pass(Weighting& weighting, const std::vector<torch::Tensor>& losses,
                              const std::vector<torch::Tensor>& parameters, const TaskStep& step) {
  TaskWeights weights = weighting.weigh(step);
  const auto found = gradients::weighted_gradients(losses, weights.shared, parameters);
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (found[i].defined()) add_to_gradient(parameters[i], found[i]);
  }
  return weights;
}

/// The weights from the first columns of the rows, which the weighting may rewrite.
TaskWeights weigh_rows(Weighting& weighting, gradients::GradientMatrix& matrix, std::int64_t columns, TaskStep& step) {
  step.gramian = matrix.gramian(columns);
  refuse_not_finite_rows(step.gramian);
  rewrite_rows(weighting, step, matrix, columns);
  return weighting.weigh(step);
}

}  // namespace

TaskWeights backward(Weighting& weighting, const std::vector<torch::Tensor>& losses, const TaskParameters& parameters,
                     TaskStep step) {
  const std::int64_t rows = rows_needed_by(weighting);
  refuse_bad_losses(losses, rows);
  const auto all = all_of(parameters, weighting.tasks());
  step.losses = values_of(losses, weighting.tasks());
  const torch::AutoGradMode with_gradients(true);
  if (!weighting.needs().gramian) return one_backward_pass(weighting, losses, all, step);
  gradients::GradientMatrix matrix;
  const std::int64_t shared = count_of(parameters.shared), own = count_of(all) - shared;
  matrix.reset(rows, 0, shared + own, all[0].options());
  const auto read = gradients::loss_rows(losses, all, matrix);
  const torch::NoGradGuard no_grad;
  TaskWeights weights = weigh_rows(weighting, matrix, shared, step);
  const int samples = weighting.needs().samples;
  matrix.combine(weights.shared, 0, shared);
  if (own > 0) matrix.combine(weights.heads.replicate(samples, 1) / static_cast<double>(samples), shared, own);
  add_pieces(all, read, matrix.combined());
  return weights;
}

RowsAggregate aggregate(Weighting& weighting, const torch::Tensor& rows, TaskStep step) {
  if (rows.dim() != 2 || rows.numel() == 0) {
    refuse(fmt::format("gradients of shape {}", fmt::join(rows.sizes(), " x ")), "must have two dimensions and values",
           "Give one row per task and batch");
  }
  if (rows.size(0) != rows_needed_by(weighting)) {
    refuse(fmt::format("{} gradients", rows.size(0)), fmt::format("{} rows are needed", rows_needed_by(weighting)),
           "Give one row per task and batch");
  }
  if (rows.scalar_type() != torch::kFloat32 && rows.scalar_type() != torch::kFloat64) {
    refuse(fmt::format("gradients of type {}", c10::toString(rows.scalar_type())),
           "a floating-point type of 32 or 64 bits is needed", "Convert them");
  }
  const auto needs = weighting.needs();
  if (needs.losses && step.losses.size() != weighting.tasks()) {
    refuse(fmt::format("{} losses", step.losses.size()), fmt::format("there are {} tasks", weighting.tasks()),
           "Give one loss per task; this weighting depends on them");
  }
  const torch::NoGradGuard no_grad;
  auto matrix = gradients::GradientMatrix::of(needs.entries ? rows.clone() : rows);
  RowsAggregate out;
  out.weights = needs.gramian ? weigh_rows(weighting, matrix, matrix.columns(), step) : weighting.weigh(step);
  out.direction = matrix.combine(out.weights.shared);
  return out;
}

}  // namespace moblo::methods
