#include "moblo/gradients/lower_solve.hpp"

#include "moblo/gradients/targets.hpp"
#include "moblo/problem/lower_kernel.hpp"

namespace moblo {

double lower_step(BilevelProblem& problem, const Batch& batch, double step_size, std::vector<torch::Tensor>& pieces) {
  if (auto* kernel = LowerKernel::of(problem)) return kernel->descend(batch, problem.lower().values(), step_size);
  const auto loss = problem.lower_loss(batch);
  const auto gradients =
      torch::autograd::grad({loss}, problem.lower().leaves(), {}, false, false, /*allow_unused=*/true);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined()) pieces[i].sub_(gradients[i], step_size);
  }
  return value_of(loss);
}

void run_lower_loop(BilevelProblem& problem, const InnerSolve& inner, const Batch& batch, std::int64_t first) {
  const auto& omega = problem.lower().values();
  auto* kernel = inner.fresh_batches ? nullptr : LowerKernel::of(problem);
  if (kernel) {
    return kernel->descend_repeatedly(batch, omega, inner.step_size, inner.steps - first, inner.loss_limit);
  }
  auto pieces = problem.lower().pieces(omega);
  for (std::int64_t t = first; t < inner.steps; ++t) {
    const Batch now = inner.fresh_batches && t > 0 ? problem.lower_batches().next() : batch;
    const double before = lower_step(problem, now, inner.step_size, pieces);
    if (!(before <= inner.loss_limit)) break;
  }
}

torch::Tensor solve_lower(BilevelProblem& problem, const InnerSolve& inner) {
  auto& lower = problem.lower();
  const BuffersKept upper_kept(problem.upper()), lower_kept(lower);
  const auto reached = (inner.from_current ? lower.values() : inner.start).clone();
  const BoundElsewhere at_reached(lower, reached);
  const SlicesPaused values_only(problem.upper());
  if (inner.steps > 0) run_lower_loop(problem, inner, problem.lower_batches().next(), 0);
  return reached;
}

}  // namespace moblo
