#pragma once

#include <memory>

#include "moblo/base/export.hpp"
#include "moblo/training/training.hpp"

namespace moblo::training {

/// The loop of train(), one step at a time, for a program with a loop of its own. So many steps give the numbers that
/// train() gives with as many iterations. Of the options it reads the optimisers; schedules count up to `iterations`,
/// but steps may go on beyond. Losses that draw random numbers (dropout) take them from torch's generator as it is.
/// Problem and method must outlive it, and belong to it alone while it lives.
class MOBLO_API Solver {
 public:
  /// Held to the same rules as train(); `resume` is a state that save() gave. Throws Error.
  Solver(BilevelProblem& problem, Method& method, const TrainingOptions& options = {},
         const Snapshot* resume = nullptr);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// z_k -> z_{k+1}; returns what was measured at z_k. Whatever a loss throws arrives here, and the problem is then as
  /// it was before the step. NotFinite: it is at the last point where all values were finite.
  StepRecord step();
  /// Iterations made.
  std::int64_t k() const;
  /// F, f, q, K and weights at the present point; everything stays as it was.
  Summary summary();
  /// All that a later step depends on.
  Snapshot save();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace moblo::training

namespace moblo {

using training::Solver;

}  // namespace moblo
