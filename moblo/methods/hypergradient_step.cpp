#include "moblo/methods/hypergradient_step.hpp"

#include "moblo/gradients/weighted_loss.hpp"
#include "moblo/methods/diagnostics.hpp"

namespace moblo {

void HypergradientStep::start(BilevelProblem& problem, std::int64_t objectives) {
  objectives_ = objectives;
  if (options_.inner_start == InnerStart::initial) initial_omega_ = problem.lower().values().clone();
}

Differentiated HypergradientStep::differentiate(const StepContext& context, GradientMatrix& matrix,
                                                StepRecord& record) const {
  HypergradientSolve solve;
  solve.inner.steps = options_.inner_steps;
  solve.inner.step_size = options_.inner_step_size;
  solve.inner.fresh_batches = options_.inner_batches == InnerBatches::fresh;
  solve.inner.from_current = options_.inner_start == InnerStart::current;
  solve.inner.start = initial_omega_;
  solve.mode = options_.hypergradient;
  solve.solver_steps = options_.solver_steps;
  solve.tolerance = options_.solver_tolerance;
  Differentiated found{hypergradients(context.problem, solve, objectives_, matrix, context.timer), {}};
  found.gramian = matrix.gramian();
  refuse_not_finite(found.losses, found.lower_loss, found.reached_loss, found.gramian);
  record.k = context.k;
  record.losses = found.losses;
  record.lower_loss = found.lower_loss;
  record.q = found.q();
  describe_gradients(found.gramian, objectives_, record);
  return found;
}

void HypergradientStep::move_omega(const StepContext& context, const Hypergradients& at) const {
  if (options_.omega_step == OmegaStep::last) {
    context.updater.replace_lower(at.reached);
  } else {
    const WeightedLoss loss{.upper = options_.omega_step == OmegaStep::train_and_validation ? 1.0 : 0.0, .lower = 1};
    context.updater.update_lower(-omega_gradient(context.problem, loss, at.lower_batch, at.upper_batch));
  }
  context.timer.lap("update");
}

void HypergradientStep::save(Snapshot& to) const {
  to.values["objectives"] = objectives_;
  if (initial_omega_.defined()) to.tensors["initial_omega"] = initial_omega_;
}

void HypergradientStep::restore(const Snapshot& from) {
  objectives_ = from.values.at("objectives").get<std::int64_t>();
  const auto initial = from.tensors.find("initial_omega");
  if (initial != from.tensors.end()) initial_omega_ = initial->second;
}

}  // namespace moblo
