#include "moblo/methods/single_level.hpp"

#include <cmath>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/methods/diagnostics.hpp"

namespace moblo {
namespace {

template <class Scalar>
GradientRows<Scalar> shared_rows(const GradientMatrix& matrix, std::int64_t shared) {
  return {matrix.row(0).data_ptr<Scalar>(), matrix.rows(), shared, matrix.columns()};
}

Eigen::VectorXd repeated(const Eigen::VectorXd& weights, Eigen::Index times) {
  return weights.replicate(times, 1) / static_cast<double>(times);
}

std::vector<double> to_vector(const Eigen::VectorXd& values) {
  return {values.begin(), values.end()};
}

}  // namespace

void SingleLevel::start(BilevelProblem&, std::int64_t objectives) {
  weighting_->start(objectives);
}

/// Weights that need no gradients are known first: then the gradient of the weighted loss is all that is needed.
TaskWeights SingleLevel::one_backward_pass(const StepContext& context, TaskStep& seen, const Batch& batch) {
  auto& problem = context.problem;
  const auto losses = task_losses(problem, batch);
  seen.losses = losses.values;
  refuse_not_finite(to_vector(seen.losses), 0, 0, {});
  context.timer.lap("losses");
  TaskWeights weights = weighting_->weigh(seen);
  matrix_.reset(1, 0, problem.lower().dense_size(), problem.lower().options());
  weighted_gradient(problem, losses, weights.shared, matrix_);
  context.timer.lap("gradient");
  return weights;
}

TaskWeights SingleLevel::a_pass_a_task(const StepContext& context, TaskStep& seen, const Batch& batch,
                                       StepRecord& record) {
  auto& problem = context.problem;
  const auto tasks = weighting_->tasks();
  const auto needs = weighting_->needs();
  matrix_.reset(needs.samples * tasks, 0, problem.lower().dense_size(), problem.lower().options());
  for (int sample = 0; sample < needs.samples; ++sample) {
    const auto losses = task_losses(problem, sample == 0 ? batch : problem.lower_batches().next());
    if (sample == 0) seen.losses = losses.values;
    task_jacobian(problem, losses, sample * tasks, matrix_);
  }
  context.timer.lap("gradients");

  const std::int64_t shared = problem.shared_columns();
  seen.gramian = matrix_.gramian(shared);
  refuse_not_finite(to_vector(seen.losses), 0, 0, seen.gramian.topLeftCorner(tasks, tasks));
  describe_gradients(seen.gramian.topLeftCorner(tasks, tasks), tasks, record);
  if (needs.entries) {
    if (problem.lower().options().dtype() == torch::kFloat64) {
      weighting_->rewrite(seen, shared_rows<double>(matrix_, shared));
    } else {
      weighting_->rewrite(seen, shared_rows<float>(matrix_, shared));
    }
    seen.gramian = matrix_.gramian(shared);
  }
  return weighting_->weigh(seen);
}

torch::Tensor SingleLevel::direction(const TaskWeights& weights, std::int64_t shared) const {
  if (!weighting_->needs().gramian) return -matrix_.row(0);
  const std::int64_t own = matrix_.columns() - shared;
  return torch::cat({matrix_.combine(-weights.shared, 0, shared),
                     matrix_.combine(-repeated(weights.heads, weighting_->needs().samples), shared, own)});
}

StepRecord SingleLevel::step(const StepContext& context) {
  auto& problem = context.problem;
  const Batch batch = problem.lower_batches().next();
  StepRecord record;
  record.k = context.k;
  TaskStep seen{.k = context.k, .epoch_length = problem.lower_batches().epoch_length(), .losses = {}, .gramian = {}};
  const TaskWeights weights = weighting_->needs().gramian ? a_pass_a_task(context, seen, batch, record)
                                                          : one_backward_pass(context, seen, batch);
  const auto along = direction(weights, problem.shared_columns());
  record.kkt = squared_length(along);
  record.losses = to_vector(seen.losses);
  record.weights = to_vector(weights.shared);
  record.lower_loss = weights.heads.dot(seen.losses);
  record.qp_status = weights.status;
  record.qp_residual = weights.residual;
  context.timer.lap("aggregation");

  context.updater.update_lower(along);
  if (weighting_->needs().losses_after) weighting_->observe_after(task_loss_values(problem, batch));
  context.timer.lap("update");
  return record;
}

Snapshot SingleLevel::save() const {
  const WeightingState state = weighting_->save();
  Snapshot out;
  out.values["weighting"] = state.values;
  for (const auto& [name, values] : state.arrays) {
    out.tensors["weighting." + name] = torch::tensor(values, torch::kFloat64);
  }
  return out;
}

void SingleLevel::restore(const Snapshot& from) {
  WeightingState state;
  state.values = from.values.at("weighting");
  for (const auto& [name, tensor] : from.tensors) {
    const auto* data = tensor.data_ptr<double>();
    state.arrays.emplace_back(name.substr(name.find('.') + 1), std::vector<double>(data, data + tensor.numel()));
  }
  weighting_->restore(state);
}

std::unique_ptr<Method> make_single_level(const std::string& name, const Json& options) {
  const auto& info = find_weighting(name == "stl" ? "ew" : name, "make_method");
  return std::make_unique<SingleLevel>(info.make(options));
}

}  // namespace moblo
