#include "moblo/gradients/hypergradient.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "moblo/gradients/gradient_counts.hpp"
#include "moblo/gradients/linear_solve.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/random_state.hpp"
#include "moblo/gradients/second_order.hpp"
#include "moblo/gradients/targets.hpp"
#include "moblo/gradients/trajectory.hpp"
#include "moblo/gradients/upper_start.hpp"
#include "moblo/problem/lower_kernel.hpp"

namespace moblo::gradients {
namespace {

std::int64_t spacing_of(const HypergradientSolve& how) {
  const std::int64_t steps = std::max<std::int64_t>(how.inner.steps, 1);
  if (how.mode == HypergradientMode::reverse) return 1;
  if (is_implicit(how.mode)) return steps;  // the steps to w_T are not differentiated
  return static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(steps))));
}

double loss_without_graph(BilevelProblem& problem, const Batch& batch) {
  const torch::NoGradGuard no_grad;
  const problem::SlicesPaused values_only(problem.upper());
  return value_of(lower_loss(problem, batch));
}

/// Rows of `matrix` = grad_alpha F_i, rows of `adjoints` = grad_w F_i, at the bound omega.
std::vector<double> differentiate_upper(BilevelProblem& problem, const Batch& batch, const GradientMatrix& matrix,
                                        const torch::Tensor& adjoints) {
  const auto losses = upper_losses(problem, batch, matrix.rows());
  std::vector<double> values;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    values.push_back(value_of(losses[i]));
    auto targets = upper_targets(problem, matrix.row(row));
    targets.add(problem.lower(), adjoints[row]);
    differentiate_into(losses[i], targets, /*keep_graph=*/i + 1 < losses.size());
    ++gradient_counts().upper;
  }
  return values;
}

/// v_T = grad_w F_i, a = grad_alpha F_i; for t = T-1 .. 0:  a -= eta (d2f/dalpha dw) v,  v -= eta (d2f/dw2) v.
/// Where w_0 = alpha, a += v_0 in the end.
void pull_back(BilevelProblem& problem, Trajectory& trajectory, const InnerSolve& inner, const GradientMatrix& matrix,
               const torch::Tensor& adjoints) {
  const double eta = inner.step_size;
  auto* kernel = LowerKernel::of(problem);
  const bool few_coordinates = problem.upper().slices().empty() && problem.upper().dense_size() <= matrix.rows();
  for (std::int64_t t = trajectory.steps() - 1; t >= 0; --t) {
    const auto& point = trajectory.at(t);
    if (kernel) {
      const auto along = kernel->pull_back(trajectory.batch(t), point.omega, eta, adjoints);
      gradient_counts().second_order += matrix.rows();
      for (std::int64_t i = 0; i < matrix.rows(); ++i) {
        subtract_gradient(along[static_cast<std::size_t>(i)], upper_targets(problem, matrix.row(i)), eta,
                          /*keep_graph=*/i + 1 < matrix.rows());
      }
      continue;
    }
    const problem::BoundElsewhere at_point(problem.lower(), point.omega);
    set_torch_random_state(point.random_state);  // dropout drops what it dropped on the way there
    // Where w_0 does not depend on alpha, no product with d2f/dw2 is asked for at t = 0.
    if (t == 0 && few_coordinates && !inner.from_upper) {
      const auto products = mixed_products(problem, trajectory.batch(t), adjoints);
      for (std::int64_t i = 0; i < matrix.rows(); ++i) matrix.row(i).sub_(products[i], eta);
      continue;
    }
    SecondOrder step(problem, trajectory.batch(t));
    for (std::int64_t i = 0; i < matrix.rows(); ++i) {
      const auto earlier = t > 0 || inner.from_upper ? adjoints[i] : torch::Tensor();
      step.subtract_products(adjoints[i], eta, earlier, matrix.row(i), /*keep_graph=*/i + 1 < matrix.rows());
    }
  }
  if (!inner.from_upper) return;
  for (std::int64_t i = 0; i < matrix.rows(); ++i) add_share_of_start(problem, adjoints[i], matrix.row(i));
}

/// dF/dalpha = grad_alpha F - (d2f/dalpha dw) x,  (d2f/dw2) x = grad_w F,  at w_T.
void apply_implicit_function(SecondOrder& at_solution, const HypergradientSolve& how, const GradientMatrix& matrix,
                             const torch::Tensor& adjoints) {
  const LinearOperator hessian = [&](const torch::Tensor& v) { return at_solution.hessian_product(v); };
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    const auto x = how.mode == HypergradientMode::cg
                       ? conjugate_gradients(hessian, adjoints[i], how.solver_steps, how.tolerance)
                       : neumann_series(hessian, adjoints[i], how.solver_steps, how.inner.step_size);
    at_solution.subtract_products(x, 1, {}, matrix.row(i), /*keep_graph=*/i + 1 < matrix.rows());
  }
}

}  // namespace

std::int64_t most_iterates(const HypergradientSolve& how) {
  if (is_implicit(how.mode)) return 1;
  const std::int64_t spacing = spacing_of(how), kept = (how.inner.steps + spacing - 1) / spacing;
  return kept + std::max<std::int64_t>(std::min(spacing, how.inner.steps) - 1, 0);
}

Hypergradients hypergradients(BilevelProblem& problem, const HypergradientSolve& how, std::int64_t objectives,
                              GradientMatrix& matrix, PhaseTimer& timer) {
  auto& lower = problem.lower();
  auto& upper = problem.upper();
  const bool implicit = is_implicit(how.mode);
  Hypergradients out;
  Trajectory trajectory(problem, how.inner, spacing_of(how));
  out.lower_batch = trajectory.batch(0);
  const bool first_step_evaluates_z = how.inner.starts_at_omega() && how.inner.steps > 0;
  if (!first_step_evaluates_z) out.lower_loss = loss_without_graph(problem, out.lower_batch);
  {
    if (!implicit) upper.gather_slices();
    const bool paused = upper.pause_slices(implicit);
    const double start_loss = trajectory.run();
    if (first_step_evaluates_z) out.lower_loss = start_loss;
    upper.pause_slices(paused);
    if (!implicit) upper.settle_slices();
  }
  out.reached = trajectory.last();
  timer.lap("lower loop");

  const problem::BuffersKept buffers_kept(lower);
  const problem::BoundElsewhere at_reached(lower, out.reached);
  out.reached_loss = loss_without_graph(problem, out.lower_batch);
  std::optional<SecondOrder> at_solution;
  if (implicit) at_solution.emplace(problem, out.lower_batch);  // reads the rows, hence before the matrix is shaped
  matrix.reset(objectives, upper_columns(upper), 0, lower.options());
  const auto adjoints = torch::zeros({objectives, lower.dense_size()}, lower.options());
  out.upper_batch = problem.upper_batches().next();
  out.losses = differentiate_upper(problem, out.upper_batch, matrix, adjoints);
  timer.lap("upper gradients");

  const auto random_state = torch_random_state();
  if (implicit) {
    apply_implicit_function(*at_solution, how, matrix, adjoints);
  } else {
    pull_back(problem, trajectory, how.inner, matrix, adjoints);
  }
  set_torch_random_state(random_state);  // the next step draws the same numbers in every mode
  out.iterates_held = implicit ? 0 : trajectory.most_held();
  timer.lap("hypergradients");
  return out;
}

}  // namespace moblo::gradients
