#pragma once

#include "moblo/training/refit.hpp"
#include "moblo/training/training.hpp"

namespace moblo::training {

/// Whether a run ends with a refit. A learned start is no solution's: there the F_i are measured after the T steps from
/// alpha, and a refit has nothing to add.
bool refits(const TrainingOptions& run, const MethodTraits& method);
/// A product with second derivatives costs about two gradients.
std::int64_t cost_in_gradients(const GradientCounts& counts);
/// How many steps it takes: a tenth of what the run took, counted in gradients and not in seconds, so that it repeats,
/// or options.refit_steps.
std::int64_t refit_steps(const TrainingOptions& run, std::int64_t iterations, const GradientCounts& of_a_step);

/// What the loop knows at the end of a run.
struct RefitOfRun {
  std::int64_t iterations = 0;
  double seconds = 0;
  GradientCounts of_a_step;          ///< of the last one
  RefitOptions how;                  ///< as the run trains omega, from where it started
  const Snapshot* chosen = nullptr;  ///< the model that `select` chose
};

/// The refit that ends a run, into its summary. stop.seconds bounds run and refit together: the refit takes what is
/// left, a tenth of the whole at most. The problem is left at the model it is at; where there is no refit a warning
/// says why.
void refit_into(Summary& summary, BilevelProblem& problem, const TrainingOptions& options, const RefitOfRun& run,
                const RunControl& control);

}  // namespace moblo::training
