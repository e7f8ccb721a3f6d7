#include "moblo/gradients/weighted_loss.hpp"

#include "moblo/gradients/gradient_counts.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/targets.hpp"

namespace moblo::gradients {

double lower_loss_at(BilevelProblem& problem, const torch::Tensor& omega, const Batch& batch) {
  const torch::NoGradGuard no_grad;
  const problem::SlicesPaused values_only(problem.upper());
  const problem::BuffersKept buffers_kept(problem.lower());
  const problem::BoundElsewhere there(problem.lower(), omega);
  return value_of(lower_loss(problem, batch));
}

torch::Tensor omega_gradient(BilevelProblem& problem, const WeightedLoss& loss, const Batch& lower,
                             const Batch& upper) {
  const problem::SlicesPaused values_only(problem.upper());
  const problem::BuffersKept buffers_kept(problem.lower());
  auto gradient = problem.lower().values() * (2 * loss.ridge);
  auto total = lower_loss(problem, lower) * loss.lower;
  ++gradient_counts().lower;
  if (loss.upper != 0) {
    ++gradient_counts().upper;  // all F_i in one pass
    for (const auto& objective : problem.upper_losses(upper)) total = total + objective * loss.upper;
  }
  Targets targets;
  targets.add(problem.lower(), gradient);
  differentiate_into(total, targets, /*keep_graph=*/false);
  return gradient;
}

torch::Tensor descend(BilevelProblem& problem, const WeightedLoss& loss, const torch::Tensor& start,
                      const Descent& descent) {
  auto& lower_batches = problem.lower_batches();
  auto& upper_batches = problem.upper_batches();
  auto omega = start.clone();
  const problem::BoundElsewhere there(problem.lower(), omega);
  Batch lower, upper;
  for (std::int64_t t = 0; t < descent.steps; ++t) {
    if (t == 0 || descent.fresh_batches) {
      lower = descent.fresh_batches ? lower_batches.next() : lower_batches.at(lower_batches.position());
      if (loss.upper != 0) {
        upper = descent.fresh_batches ? upper_batches.next() : upper_batches.at(upper_batches.position());
      }
    }
    omega.sub_(omega_gradient(problem, loss, lower, upper), descent.step_size);
  }
  return omega;
}

}  // namespace moblo::gradients
