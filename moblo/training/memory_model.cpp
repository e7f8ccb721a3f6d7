#include "moblo/training/memory_model.hpp"

#include <algorithm>

#include "moblo/training/run_refit.hpp"

namespace moblo::training {
namespace {

std::int64_t moments(OptimiserKind kind) {
  return kind == OptimiserKind::adam || kind == OptimiserKind::adamw ? 2 : kind == OptimiserKind::momentum ? 1 : 0;
}

/// Vectors that the change of a parameter passes through.
std::int64_t temporaries(const OptimiserOptions& options) {
  if (options.kind == OptimiserKind::sgd && options.weight_decay == 0) return 0;
  return (moments(options.kind) == 2 ? 2 : 1) + (options.weight_decay > 0 ? 1 : 0);
}

}  // namespace

std::optional<std::int64_t> predict_added_bytes(BilevelProblem& problem, const gradients::ProblemShape& shape,
                                                const Method& method, const TrainingOptions& options) {
  const auto held = method.holds(shape.m);
  if (!held) return std::nullopt;
  const auto value = static_cast<std::int64_t>(problem.lower().options().dtype().itemsize());
  const std::int64_t dense = problem.upper().dense_size(), per_sample = shape.n - dense;
  const std::int64_t chosen_model = options.select.empty() ? 0 : 1;
  // Moments, and the way back from a step: the iterate and the moments as they were. Of dense alpha also its columns of
  // the gradients and the direction.
  const std::int64_t refit_start = options.refit == RefitStart::fresh && refits(options, method.traits()) ? 1 : 0;
  const std::int64_t kept = 2 * moments(options.optimiser.omega.kind) + 1 + chosen_model + refit_start;
  const std::int64_t kept_of_tables = moments(options.optimiser.alpha.kind) + held->alphas + chosen_model;
  const std::int64_t rows_of_omega = shape.p - problem.lower().dense_size();
  const std::int64_t kept_of_rows = moments(options.optimiser.omega.kind) + chosen_model + refit_start;
  const std::int64_t of_alpha = shape.m + 2 + 2 * moments(options.optimiser.alpha.kind) + 1 + chosen_model;
  return value * ((held->omegas + kept) * shape.p_of_step + kept_of_rows * rows_of_omega + of_alpha * dense +
                  kept_of_tables * per_sample) +
         std::max(held->passes * shape.pass_bytes, value * temporaries(options.optimiser.omega) * shape.p_of_step);
}

}  // namespace moblo::training
