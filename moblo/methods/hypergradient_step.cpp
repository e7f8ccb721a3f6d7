#include "moblo/methods/hypergradient_step.hpp"

#include "moblo/gradients/weighted_loss.hpp"
#include "moblo/methods/diagnostics.hpp"

namespace moblo {

HypergradientSolve HypergradientStep::solve() const {
  HypergradientSolve solve;
  solve.inner = lower_loop_.solve();
  solve.mode = options_.hypergradient;
  solve.solver_steps = options_.solver_steps;
  solve.tolerance = options_.solver_tolerance;
  return solve;
}

Differentiated HypergradientStep::differentiate(const StepContext& context, GradientMatrix& matrix,
                                                StepRecord& record) const {
  Differentiated found{hypergradients(context.problem, solve(), objectives(), matrix, context.timer), {}};
  found.gramian = matrix.gramian();
  refuse_not_finite(found.losses, found.lower_loss, found.reached_loss, found.gramian);
  record.k = context.k;
  record.losses = found.losses;
  record.lower_loss = found.lower_loss;
  record.q = found.q();
  describe_gradients(found.gramian, objectives(), record);
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

}  // namespace moblo
