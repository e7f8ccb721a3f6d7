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

torch::Tensor solve_lower(BilevelProblem& problem, const InnerSolve& inner) {
  auto& lower = problem.lower();
  const BuffersKept upper_kept(problem.upper()), lower_kept(lower);
  const auto reached = (inner.from_current ? lower.values() : inner.start).clone();
  auto pieces = lower.pieces(reached);
  const BoundElsewhere at_reached(lower, reached);
  const SlicesPaused values_only(problem.upper());
  Batch batch;
  for (std::int64_t t = 0; t < inner.steps; ++t) {
    if (t == 0 || inner.fresh_batches) batch = problem.lower_batches().next();
    const double before = lower_step(problem, batch, inner.step_size, pieces);
    if (!(before <= inner.loss_limit)) break;
  }
  return reached;
}

}  // namespace moblo
