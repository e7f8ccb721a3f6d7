#include "moblo/methods/single_level.hpp"

#include <cmath>
#include <utility>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/weighting_steps.hpp"

namespace moblo::methods {

namespace {

constexpr auto key = "gradients";

/// Weights that need no gradients take one pass anyway; gradients by the representations of two batches have nothing to
/// do with one another.
bool can_stop_at_representation(const WeightingInfo& weighting) {
  const auto needs = weighting.make(weighting.resolve(Json::object(), {}))->needs();
  return needs.gramian && !needs.remembers && needs.samples == 1;
}

Eigen::VectorXd repeated(const Eigen::VectorXd& weights, Eigen::Index times) {
  return weights.replicate(times, 1) / static_cast<double>(times);
}

}  // namespace

const OptionTable<SingleLevelOptions>& SingleLevelOptions::table() {
  static const auto table = [] {
    OptionTable<SingleLevelOptions> t;
    t.add(key, &SingleLevelOptions::gradients,
          "what the weights are found from: by the shared parameters, one pass per task, or by the representation "
          "that the heads read, one pass");
    return t;
  }();
  return table;
}

namespace {

/// The options of the method, taken out of those of both.
SingleLevelOptions take_own_options(Json& of_both, const OptionPlace& place) {
  SingleLevelOptions options;
  if (!of_both.is_object() || !of_both.contains(key)) return options;
  SingleLevelOptions::table().read(Json{{key, of_both[key]}}, options, place);
  of_both.erase(key);
  return options;
}

MethodInfo info_of(const WeightingInfo& weighting, const std::string& name, bool network_per_task) {
  MethodInfo info{name, weighting.summary, weighting.reference, weighting.fields, weighting.resolve, {}, {}};
  info.make = [&weighting, name, network_per_task](const Json& resolved) {
    Json of_weighting = resolved;
    const auto own = take_own_options(of_weighting, {});
    return std::make_unique<SingleLevel>(weighting.make(of_weighting), own, name, network_per_task, resolved);
  };
  info.traits = [make = info.make](const Json& resolved) { return make(resolved)->traits(); };
  if (!can_stop_at_representation(weighting)) return info;
  for (const auto& field : SingleLevelOptions::table().fields()) info.fields.push_back(field);
  info.resolve = [resolve = weighting.resolve](const Json& table, const OptionPlace& place) {
    Json rest = table;
    const auto own = take_own_options(rest, place);
    Json resolved = resolve(rest, place);
    resolved.update(SingleLevelOptions::table().write(own));
    return resolved;
  };
  return info;
}

}  // namespace

MethodInfo single_level_info(const WeightingInfo& weighting) {
  return info_of(weighting, weighting.name, false);
}

MethodInfo stl_info() {
  auto info = info_of(find_weighting("ew", "stl"), "stl", true);
  info.summary = "one network per task: what the others are measured against";
  return info;
}

void SingleLevel::start(BilevelProblem& problem, std::int64_t objectives) {
  if (cuts()) gradients::representation_of(problem, "gradients = \"representation\"");
  weighting_->start(objectives);
}

/// Weights that need no gradients are known first: then the gradient of the weighted loss is all that is needed.
TaskWeights SingleLevel::one_backward_pass(const StepContext& context, TaskStep& seen, const Batch& batch) {
  auto& problem = context.problem;
  const auto losses = gradients::task_losses(problem, batch, weighting_->tasks());
  seen.losses = losses.values;
  refuse_not_finite(to_vector(seen.losses), 0, 0, {});
  context.timer.lap("losses");
  TaskWeights weights = weighting_->weigh(seen);
  matrix_.reset(1, 0, problem.lower().dense_size(), problem.lower().options());
  gradients::weighted_gradient(problem, losses, weights.shared, matrix_);
  context.timer.lap("gradient");
  return weights;
}

void SingleLevel::a_pass_a_task(BilevelProblem& problem, TaskStep& seen, const Batch& batch) {
  const auto tasks = weighting_->tasks();
  const int samples = weighting_->needs().samples;
  shared_ = problem.shared_columns();
  matrix_.reset(samples * tasks, 0, problem.lower().dense_size(), problem.lower().options());
  for (int sample = 0; sample < samples; ++sample) {
    const auto losses = gradients::task_losses(problem, sample == 0 ? batch : problem.lower_batches().next(), tasks);
    if (sample == 0) seen.losses = losses.values;
    gradients::task_jacobian(problem, losses, sample * tasks, matrix_);
  }
}

void SingleLevel::pass_to_representation(BilevelProblem& problem, TaskStep& seen, const Batch& batch) {
  cut_ = gradients::cut_task_losses(gradients::representation_of(problem, "gradients"), batch);
  seen.losses = cut_.values;
  shared_ = cut_.leaf.numel();
  const std::int64_t heads = problem.lower().dense_size() - problem.shared_columns();
  matrix_.reset(weighting_->tasks(), 0, shared_ + heads, problem.lower().options());
  gradients::cut_task_jacobian(problem, cut_, matrix_);
}

TaskWeights SingleLevel::from_gradients(const StepContext& context, TaskStep& seen, const Batch& batch,
                                        StepRecord& record) {
  auto& problem = context.problem;
  const auto tasks = weighting_->tasks();
  if (cuts()) {
    pass_to_representation(problem, seen, batch);
  } else {
    a_pass_a_task(problem, seen, batch);
  }
  context.timer.lap("gradients");

  seen.gramian = matrix_.gramian(shared_);
  refuse_not_finite(to_vector(seen.losses), 0, 0, seen.gramian.topLeftCorner(tasks, tasks));
  describe_gradients(seen.gramian.topLeftCorner(tasks, tasks), tasks, record);
  rewrite_rows(*weighting_, seen, matrix_, shared_);
  return weighting_->weigh(seen);
}

torch::Tensor SingleLevel::direction(BilevelProblem& problem, const TaskWeights& weights) {
  if (!weighting_->needs().gramian) return -matrix_.row(0);
  const auto heads =
      matrix_.combine(-repeated(weights.heads, weighting_->needs().samples), shared_, matrix_.columns() - shared_);
  const auto shared = matrix_.combine(-weights.shared, 0, shared_);
  if (!cuts()) return matrix_.combined();
  return torch::cat({gradients::through_trunk(problem, std::exchange(cut_, {}), shared), heads});
}

Measurement SingleLevel::measure(const StepContext& context) {
  auto& problem = context.problem;
  batch_ = problem.lower_batches().next();
  Measurement here;
  auto& record = here.record;
  TaskStep seen{.k = context.k, .epoch_length = problem.lower_batches().epoch_length(), .losses = {}, .gramian = {}};
  const TaskWeights weights = weighting_->needs().gramian ? from_gradients(context, seen, batch_, record)
                                                          : one_backward_pass(context, seen, batch_);
  here.lower_direction = direction(problem, weights);
  record.kkt = squared_length(here.lower_direction);
  record.losses = to_vector(seen.losses);
  record.weights = to_vector(weights.shared);
  record.lower_loss = weights.heads.dot(seen.losses);
  record.qp_status = weights.status;
  record.qp_residual = weights.residual;
  context.timer.lap("aggregation");
  return here;
}

void SingleLevel::move(const Measurement& here, const StepContext& context, Updater& updater) {
  updater.update_lower(here.lower_direction);
  if (weighting_->needs().losses_after)
    weighting_->observe_after(gradients::task_loss_values(context.problem, batch_, weighting_->tasks()));
  context.timer.lap("update");
}

/// Rows, the direction, and its parts before they are joined.
std::optional<Held> SingleLevel::holds(std::int64_t objectives) const {
  const auto needs = weighting_->needs();
  return Held{.omegas = needs.gramian ? needs.samples * objectives + 2 : 2};
}

Snapshot SingleLevel::save() const {
  Snapshot out;
  save_weighting(*weighting_, out);
  return out;
}

void SingleLevel::restore(const Snapshot& from) {
  restore_weighting(from, *weighting_);
}

}  // namespace moblo::methods
