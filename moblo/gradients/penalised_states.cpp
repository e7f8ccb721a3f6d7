#include "moblo/gradients/penalised_states.hpp"

#include "moblo/gradients/gradient_counts.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/random_state.hpp"
#include "moblo/gradients/targets.hpp"
#include "moblo/gradients/task_gradients.hpp"

namespace moblo::gradients {
namespace {

struct BatchPair {
  Batch lower, upper;
};

BatchPair next_batches(BilevelProblem& problem) {
  return {problem.lower_batches().next(), problem.upper_batches().next()};
}

torch::Tensor counted_lower_loss(BilevelProblem& problem, const Batch& batch) {
  ++gradient_counts().lower;
  return lower_loss(problem, batch);
}

/// phi_i at the bound omega. f comes first: its rows of alpha shape a step's columns.
torch::Tensor penalised_loss(BilevelProblem& problem, const BatchPair& batches, std::int64_t i, std::int64_t objectives,
                             double penalty) {
  const auto lower = counted_lower_loss(problem, batches.lower);
  ++gradient_counts().upper;
  return lower + upper_losses(problem, batches.upper, objectives)[static_cast<std::size_t>(i)] / penalty;
}

/// values -= eta grad_w loss, where the pack is bound to `values`.
void descend_on(BilevelProblem& problem, const torch::Tensor& loss, const torch::Tensor& values, double eta) {
  Targets targets;
  targets.add(problem.lower(), values);
  subtract_gradient(loss, targets, eta);
}

/// One step of all states. Returns f(alpha, z) before it. Running statistics see that loss where `first`, as in plain
/// training, and none of the others.
double step_all(BilevelProblem& problem, const PenalisedSolve& how, const BatchPair& batches, PenalisedStates& out,
                bool first) {
  auto& lower = problem.lower();
  const problem::SlicesPaused values_only(problem.upper());
  const auto random_state = torch_random_state();
  double loss_before = 0;
  const auto step_model = [&] {
    const problem::BoundElsewhere at_model(lower, out.model);
    const auto loss = counted_lower_loss(problem, batches.lower);
    loss_before = value_of(loss);
    descend_on(problem, loss, out.model, how.step_size);
  };
  if (first) step_model();
  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(lower);
  if (!first) step_model();
  for (std::int64_t i = 0; i < out.states.size(0); ++i) {
    set_torch_random_state(random_state);
    const auto state = out.states[i];
    const problem::BoundElsewhere at_state(lower, state);
    const auto loss = penalised_loss(problem, batches, i, out.states.size(0), how.penalty);
    descend_on(problem, loss, state, how.step_size);
  }
  return loss_before;
}

/// grad_alpha f(alpha, z) over the columns of f's batch, for which it shapes the matrix.
torch::Tensor gradient_at_model(BilevelProblem& problem, const Batch& batch, PenalisedStates& out,
                                GradientMatrix& matrix) {
  const problem::BoundElsewhere at_model(problem.lower(), out.model);
  const auto loss = counted_lower_loss(problem, batch);
  out.reached_loss = value_of(loss);
  matrix.reset(out.states.size(0), upper_columns(problem.upper()), 0, problem.lower().options());
  auto gradient = torch::zeros({matrix.columns()}, problem.lower().options());
  auto targets = upper_targets(problem, gradient);
  differentiate_into(loss, targets, /*keep_graph=*/false);
  return gradient;
}

/// Row i = h_i. Returns |s grad_w phi_i|^2, which the same pass gives.
double write_row(BilevelProblem& problem, const BatchPair& batches, std::int64_t i, double penalty,
                 const torch::Tensor& at_model, const PenalisedStates& out, GradientMatrix& matrix) {
  const problem::BoundElsewhere at_state(problem.lower(), out.states[i]);
  const auto loss = penalised_loss(problem, batches, i, matrix.rows(), penalty);
  refuse_further_rows(problem.upper(), matrix.columns());
  auto by_omega = torch::zeros_like(problem.lower().values());
  auto targets = upper_targets(problem, matrix.row(i));
  targets.add(problem.lower(), by_omega);
  differentiate_into(loss, targets, /*keep_graph=*/false);
  matrix.row(i).sub_(at_model).mul_(penalty);
  return penalty * penalty * value_of(torch::dot(by_omega, by_omega));
}

}  // namespace

PenalisedStates penalised_gradients(BilevelProblem& problem, const PenalisedSolve& how, const torch::Tensor& states,
                                    GradientMatrix& matrix, PhaseTimer& timer) {
  PenalisedStates out;
  out.model = problem.lower().values().clone();
  out.states = states.clone();
  const BatchPair batches = next_batches(problem);
  for (std::int64_t t = 0; t < how.steps; ++t) {
    const double before =
        step_all(problem, how, t > 0 && how.fresh_batches ? next_batches(problem) : batches, out, t == 0);
    if (t == 0) out.lower_loss = before;
  }
  timer.lap("lower loop");

  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(problem.lower());
  const auto random_state = torch_random_state();
  const auto at_model = gradient_at_model(problem, batches.lower, out, matrix);
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    set_torch_random_state(random_state);
    out.residuals.push_back(write_row(problem, batches, i, how.penalty, at_model, out, matrix));
  }
  const problem::SlicesPaused values_only(problem.upper());
  const problem::BoundElsewhere with_model(problem.lower(), out.model);
  const auto values = task_loss_values(problem, batches.upper, matrix.rows());
  out.losses.assign(values.begin(), values.end());
  timer.lap("upper gradients");
  return out;
}

}  // namespace moblo::gradients
