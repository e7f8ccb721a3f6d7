#include "moblo/gradients/value_function.hpp"

#include "moblo/gradients/gradient_counts.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/lower_steps.hpp"
#include "moblo/gradients/targets.hpp"

namespace moblo::gradients {
namespace {

Targets all_targets(BilevelProblem& problem, const GradientMatrix& matrix, std::int64_t row) {
  auto targets = upper_targets(problem, matrix.upper_part(row));
  targets.add(problem.lower(), matrix.lower_part(row));
  return targets;
}

/// f(z) and its gradient, which becomes the last row of the matrix.
double lower_row(BilevelProblem& problem, const Batch& batch, std::int64_t objectives, GradientMatrix& matrix) {
  auto& lower = problem.lower();
  const auto loss = lower_loss(problem, batch);
  matrix.reset(objectives + 1, upper_columns(problem.upper()), lower.dense_size(), lower.options());
  auto targets = all_targets(problem, matrix, objectives);
  differentiate_into(loss, targets, /*keep_graph=*/false);
  ++gradient_counts().lower;
  return value_of(loss);
}

}  // namespace

ValueGap value_function_gradient(BilevelProblem& problem, const InnerSolve& inner, std::int64_t objectives,
                                 GradientMatrix& matrix, PhaseTimer& timer) {
  auto& lower = problem.lower();
  auto& batches = problem.lower_batches();
  const Batch batch = batches.next();
  ValueGap gap;

  gap.lower_loss = lower_row(problem, batch, objectives, matrix);
  timer.lap("lower gradient");

  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(lower);
  // The first step from omega_k needs the gradient that f(z) has just given.
  const bool first_step_done = inner.starts_at_omega() && inner.steps > 0 && within_limit(gap.lower_loss, inner);
  gap.reached = first_step_done ? torch::sub(lower.values(), matrix.lower_part(objectives), inner.step_size)
                                : starting_point(problem, inner);
  const problem::BoundElsewhere at_reached(lower, gap.reached);
  if (first_step_done || !inner.starts_at_omega()) {
    const problem::SlicesPaused values_only(problem.upper());
    run_lower_loop(problem, inner, batch, first_step_done ? 1 : 0);
  }
  timer.lap("lower loop");

  const auto reached_loss = lower_loss(problem, batch);
  gap.reached_loss = value_of(reached_loss);
  subtract_gradient(reached_loss, upper_targets(problem, matrix.upper_part(objectives)));
  ++gradient_counts().lower;
  timer.lap("value gradient");
  return gap;
}

CarriedGap carried_gap(BilevelProblem& problem, const torch::Tensor& carried, double eta, std::int64_t objectives,
                       GradientMatrix& matrix, PhaseTimer& timer) {
  auto& lower = problem.lower();
  const Batch batch = problem.lower_batches().next();
  CarriedGap gap;
  gap.lower_loss = lower_row(problem, batch, objectives, matrix);
  timer.lap("lower gradient");

  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(lower);
  gap.reached = carried.defined() ? carried : torch::sub(lower.values(), matrix.lower_part(objectives), eta);
  gap.next = gap.reached.clone();
  const problem::BoundElsewhere at_reached(lower, gap.reached);
  const auto reached_loss = lower_loss(problem, batch);
  gap.reached_loss = value_of(reached_loss);
  auto by_both = torch::zeros({matrix.columns()}, lower.options());
  auto targets = upper_targets(problem, by_both);
  targets.add(lower, by_both.narrow(0, matrix.upper_columns(), lower.dense_size()));
  differentiate_into(reached_loss, targets, /*keep_graph=*/false);
  ++gradient_counts().lower;
  matrix.upper_part(objectives).sub_(by_both.narrow(0, 0, matrix.upper_columns()));
  gap.next.sub_(by_both.narrow(0, matrix.upper_columns(), lower.dense_size()), eta);
  timer.lap("value gradient");
  return gap;
}

std::vector<double> upper_jacobian(BilevelProblem& problem, const Batch& batch, GradientMatrix& matrix) {
  const auto losses = upper_losses(problem, batch, matrix.rows() - 1);
  refuse_further_rows(problem.upper(), matrix.upper_columns());
  std::vector<double> values;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    values.push_back(value_of(losses[i]));
    auto targets = all_targets(problem, matrix, static_cast<std::int64_t>(i));
    differentiate_into(losses[i], targets, /*keep_graph=*/i + 1 < losses.size());
    ++gradient_counts().upper;
  }
  return values;
}

}  // namespace moblo::gradients
