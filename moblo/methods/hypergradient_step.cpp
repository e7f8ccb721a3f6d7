#include "moblo/methods/hypergradient_step.hpp"

#include "moblo/gradients/task_gradients.hpp"
#include "moblo/gradients/weighted_loss.hpp"
#include "moblo/methods/diagnostics.hpp"

namespace moblo::methods {

gradients::HypergradientSolve HypergradientMethod::solve() const {
  gradients::HypergradientSolve solve;
  solve.inner = lower_loop_.solve();
  solve.mode = options_.hypergradient;
  solve.solver_steps = options_.solver_steps;
  solve.tolerance = options_.solver_tolerance;
  return solve;
}

Eigen::MatrixXd HypergradientMethod::differentiate(const StepContext& context, StepRecord& record) {
  first_lower_batch_ = context.problem.lower_batches().position();
  found_ = gradients::hypergradients(context.problem, solve(), objectives(), matrix_, context.timer);
  Eigen::MatrixXd gramian = matrix_.gramian();
  record = point_record(found_.losses, found_.lower_loss, found_.reached_loss, gramian);
  return gramian;
}

Eigen::VectorXd HypergradientMethod::losses_again(const StepContext& context) const {
  auto& problem = context.problem;
  auto& batches = problem.lower_batches();
  const std::int64_t position = batches.position();
  batches.seek(first_lower_batch_);
  const auto reached = solve_lower(problem, lower_loop_.solve());
  batches.seek(position);
  const problem::SlicesPaused values_only(problem.upper());
  const problem::BoundElsewhere there(problem.lower(), reached);
  return gradients::task_loss_values(problem, found_.upper_batch, objectives());
}

void HypergradientMethod::move(const Measurement& here, const StepContext& context, Updater& updater) {
  updater.update_upper(here.upper_direction);
  alpha_moved(context);
  if (options_.omega_step == OmegaStep::last) {
    updater.replace_lower(found_.reached);
  } else {
    const gradients::WeightedLoss loss{.upper = options_.omega_step == OmegaStep::train_and_validation ? 1.0 : 0.0,
                                       .lower = 1};
    updater.update_lower(-gradients::omega_gradient(context.problem, loss, found_.lower_batch, found_.upper_batch));
  }
  found_ = {};
  context.timer.lap("update");
}

Snapshot HypergradientMethod::save() const {
  Snapshot state;
  lower_loop_.save(state);
  return state;
}

}  // namespace moblo::methods
