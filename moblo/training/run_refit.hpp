#pragma once

#include "moblo/training/training.hpp"

namespace moblo::training {

/// What the loop knows at the end of a run.
struct RefitOfRun {
  std::int64_t iterations = 0;
  double seconds = 0;
  GradientCounts of_a_step;                 ///< of the last one
  torch::Tensor initial_omega;              ///< where refit = "fresh" starts ...
  std::vector<torch::Tensor> initial_rows;  ///< ... and its tables of rows
  const Snapshot* chosen = nullptr;         ///< the model that `select` chose
};

/// The refit that ends a run, into its summary: a tenth of what the run took, counted in gradients and not in seconds,
/// so that it repeats, or options.refit_steps. stop.seconds bounds run and refit together: the refit takes what is
/// left, a tenth of the whole at most. The problem is left at the model it is at; where there is no refit a warning
/// says why.
void refit_into(Summary& summary, BilevelProblem& problem, const TrainingOptions& options, const RefitOfRun& run,
                const RunControl& control);

}  // namespace moblo::training
