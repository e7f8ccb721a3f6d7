#include "moblo/gradients/lower_steps.hpp"

#include <fmt/format.h>

#include <cmath>

#include "moblo/base/error.hpp"
#include "moblo/gradients/gradient_counts.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/targets.hpp"
#include "moblo/gradients/upper_start.hpp"
#include "moblo/problem/lower_kernel.hpp"

namespace moblo::gradients {
namespace {

void refuse_bad(const InnerSolve& inner, ParameterPack& lower) {
  const auto& omega = lower.values();
  if (lower.has_rows() && !lower.rows_borrowed()) {
    throw Error(ErrorKind::usage, "solve_lower on a problem with per-row lower parameters",
                "has no rows to move outside of a step", "Call it from Method::measure, or refit() the problem");
  }
  if (inner.steps < 0 || !(inner.step_size > 0) || !std::isfinite(inner.step_size)) {
    throw Error(ErrorKind::config,
                fmt::format("InnerSolve with steps = {}, step_size = {}", inner.steps, inner.step_size),
                "is out of range", "Choose steps >= 0 and step_size > 0");
  }
  if (inner.from_current || inner.from_upper ||
      (inner.start.defined() && inner.start.sizes() == omega.sizes() &&
       inner.start.scalar_type() == omega.scalar_type()))
    return;
  throw Error(ErrorKind::config, "InnerSolve with from_current = false", "has no start of omega's size and type",
              "Set start to a tensor like problem.lower().values()");
}

/// One step in place on the bound buffer, whose parts are `pieces`, one per leaf; none where the loss is above the
/// limit. Returns whether it was taken.
bool lower_step(BilevelProblem& problem, const Batch& batch, const InnerSolve& inner,
                std::vector<torch::Tensor>& pieces) {
  ++gradient_counts().lower;
  if (auto* kernel = LowerKernel::of(problem)) {
    return kernel->descend_repeatedly(batch, problem.lower().values(), inner.step_size, 1, inner.loss_limit) == 1;
  }
  const auto loss = lower_loss(problem, batch);
  if (!within_limit(value_of(loss), inner)) return false;
  const auto gradients =
      torch::autograd::grad({loss}, problem.lower().leaves(), {}, false, false, /*allow_unused=*/true);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined()) pieces[i].sub_(gradients[i], inner.step_size);
  }
  return true;
}

}  // namespace

torch::Tensor starting_point(BilevelProblem& problem, const InnerSolve& inner) {
  if (inner.from_upper) return upper_start(problem);
  return (inner.from_current ? problem.lower().values() : inner.start).clone();
}

torch::Tensor lower_gradient(BilevelProblem& problem, const Batch& batch) {
  ++gradient_counts().lower;
  auto gradient = torch::zeros_like(problem.lower().values());
  Targets targets;
  targets.add(problem.lower(), gradient);
  differentiate_into(lower_loss(problem, batch), targets, /*keep_graph=*/false);
  return gradient;
}

void run_lower_loop(BilevelProblem& problem, const InnerSolve& inner, const Batch& batch, std::int64_t first) {
  const auto& omega = problem.lower().values();
  auto* kernel = inner.fresh_batches ? nullptr : LowerKernel::of(problem);
  if (kernel) {
    gradient_counts().lower += inner.steps - first;
    kernel->descend_repeatedly(batch, omega, inner.step_size, inner.steps - first, inner.loss_limit);
    return;
  }
  auto pieces = problem.lower().pieces(omega);
  for (std::int64_t t = first; t < inner.steps; ++t) {
    const Batch now = inner.fresh_batches && t > 0 ? problem.lower_batches().next() : batch;
    if (!lower_step(problem, now, inner, pieces)) break;
  }
}

torch::Tensor solve_lower(BilevelProblem& problem, const InnerSolve& inner) {
  auto& lower = problem.lower();
  refuse_bad(inner, lower);
  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(lower);
  const auto reached = starting_point(problem, inner);
  const problem::BoundElsewhere at_reached(lower, reached);
  const problem::SlicesPaused values_only(problem.upper());
  if (inner.steps > 0) run_lower_loop(problem, inner, problem.lower_batches().next(), 0);
  return reached;
}

}  // namespace moblo::gradients
