#pragma once

#include <torch/types.h>

#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// Vectors as long as omega that a method carries from step to step, one per row. Rows are replaced together, never
/// written to: snapshots share them.
class LowerStates {
 public:
  /// Throws Error(problem) where the lower level has one row per task: its variables change from step to step.
  void start(BilevelProblem& problem, std::int64_t objectives, const std::string& method, const torch::Tensor& values);

  const torch::Tensor& values() const { return values_; }
  std::int64_t objectives() const { return objectives_; }
  void replace(const torch::Tensor& values) { values_ = values; }

  /// Rows that live at one time: those of this step, of the step before, which may have to be undone, and the next.
  static std::int64_t held(std::int64_t rows) { return 3 * rows; }

  void save(Snapshot& to) const;
  /// After start().
  void restore(const Snapshot& from);

 private:
  std::int64_t objectives_ = 0;
  torch::Tensor values_;
};

}  // namespace moblo::methods
