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
  /// Whether the steps so far have used up `stop.gradients`, which is a length of the run as its iterations are.
  bool gradients_used_up() const { return options_.gradients > 0 && gradients_ >= options_.gradients; }

  Json save() const;
  void restore(const Json& state);

 private:
  bool stalled(const StepRecord& record);

  StopOptions options_;
  std::optional<double> best_;  // mean upper loss
  std::int64_t best_k_ = 0;
  std::int64_t gradients_ = 0;  // of all steps, whether or not they are bounded: a resume may set a bound
};

}  // namespace moblo::training
