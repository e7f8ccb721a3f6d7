#pragma once

#include <optional>

#include "moblo/base/json.hpp"
#include "moblo/base/status.hpp"
#include "moblo/records/records.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo::training {

/// Decides after each step whether the run is over. Its memory is stored in checkpoints.
class Stopping {
 public:
  explicit Stopping(const StopOptions& options) : options_(options) {}

  std::optional<RunStatus> after(const StepRecord& record, double seconds);

  Json save() const;
  void restore(const Json& state);

 private:
  bool stalled(const StepRecord& record);

  StopOptions options_;
  std::optional<double> best_;  // mean upper loss
  std::int64_t best_k_ = 0;
};

}  // namespace moblo::training
