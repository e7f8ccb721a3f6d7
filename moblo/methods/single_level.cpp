#include "moblo/methods/single_level.hpp"

#include <cmath>
#include <utility>

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

void SingleLevel::start(BilevelProblem& problem, std::int64_t objectives) {
  if (cuts()) representation_of(problem, "gradients = \"representation\"");
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

void SingleLevel::a_pass_a_task(BilevelProblem& problem, TaskStep& seen, const Batch& batch) {
  const auto tasks = weighting_->tasks();
  const int samples = weighting_->needs().samples;
  shared_ = problem.shared_columns();
  matrix_.reset(samples * tasks, 0, problem.lower().dense_size(), problem.lower().options());
  for (int sample = 0; sample < samples; ++sample) {
    const auto losses = task_losses(problem, sample == 0 ? batch : problem.lower_batches().next());
    if (sample == 0) seen.losses = losses.values;
    task_jacobian(problem, losses, sample * tasks, matrix_);
  }
}

void SingleLevel::pass_to_representation(BilevelProblem& problem, TaskStep& seen, const Batch& batch) {
  cut_ = cut_task_losses(representation_of(problem, "gradients"), batch);
  seen.losses = cut_.values;
  shared_ = cut_.leaf.numel();
  const std::int64_t heads = problem.lower().dense_size() - problem.shared_columns();
  matrix_.reset(weighting_->tasks(), 0, shared_ + heads, problem.lower().options());
  cut_task_jacobian(problem, cut_, matrix_);
}

TaskWeights SingleLevel::from_gradients(const StepContext& context, TaskStep& seen, const Batch& batch,
                                        StepRecord& record) {
  auto& problem = context.problem;
  const auto tasks = weighting_->tasks();
  const auto needs = weighting_->needs();
  if (cuts()) {
    pass_to_representation(problem, seen, batch);
  } else {
    a_pass_a_task(problem, seen, batch);
  }
  context.timer.lap("gradients");

  seen.gramian = matrix_.gramian(shared_);
  refuse_not_finite(to_vector(seen.losses), 0, 0, seen.gramian.topLeftCorner(tasks, tasks));
  describe_gradients(seen.gramian.topLeftCorner(tasks, tasks), tasks, record);
  if (needs.entries) {
    if (problem.lower().options().dtype() == torch::kFloat64) {
      weighting_->rewrite(seen, shared_rows<double>(matrix_, shared_));
    } else {
      weighting_->rewrite(seen, shared_rows<float>(matrix_, shared_));
    }
    seen.gramian = matrix_.gramian(shared_);
  }
  return weighting_->weigh(seen);
}

torch::Tensor SingleLevel::direction(BilevelProblem& problem, const TaskWeights& weights) {
  if (!weighting_->needs().gramian) return -matrix_.row(0);
  const auto heads =
      matrix_.combine(-repeated(weights.heads, weighting_->needs().samples), shared_, matrix_.columns() - shared_);
  const auto shared = matrix_.combine(-weights.shared, 0, shared_);
  if (!cuts()) return matrix_.combined();
  return torch::cat({through_trunk(problem, std::exchange(cut_, {}), shared), heads});
}

StepRecord SingleLevel::step(const StepContext& context) {
  auto& problem = context.problem;
  const Batch batch = problem.lower_batches().next();
  StepRecord record;
  record.k = context.k;
  TaskStep seen{.k = context.k, .epoch_length = problem.lower_batches().epoch_length(), .losses = {}, .gramian = {}};
  const TaskWeights weights = weighting_->needs().gramian ? from_gradients(context, seen, batch, record)
                                                          : one_backward_pass(context, seen, batch);
  const auto along = direction(problem, weights);
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

/// Rows, the direction, and its parts before they are joined.
std::optional<Held> SingleLevel::holds(std::int64_t objectives) const {
  const auto needs = weighting_->needs();
  return Held{.omegas = needs.gramian ? needs.samples * objectives + 2 : 2};
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
  Json of_weighting = options;
  const auto own = take_single_level_options(of_weighting);
  return std::make_unique<SingleLevel>(info.make(of_weighting), own);
}

}  // namespace moblo
