#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiments/plan.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::experiments {

/// What a run would be and cost.
struct Preview {
  RunPlan plan;
  std::filesystem::path folder;
  std::int64_t m = 0, n = 0, p = 0;
  std::int64_t iterations = 0, first_iteration = 0;  ///< the second is above 0 where a run would be resumed
  bool resumed = false;
  Json options;                                 ///< dotted keys of those that differ from their defaults
  std::optional<std::int64_t> predicted_bytes;  ///< none where the method does not say what it holds
  // Of a throw-away run of a few steps, in memory alone.
  std::int64_t measured_steps = 0;
  double setup_seconds = 0, step_seconds = 0, evaluation_seconds = 0;
  std::optional<double> predicted_seconds;  ///< none where no step could be measured
  std::vector<std::string> warnings;
};

/// Stands for a run of the plan in that folder: refuses what the run would refuse, in the same words, and measures a
/// few steps, about three seconds of them unless a single one takes longer. Writes nothing.
Preview preview(const RunPlan& plan, const std::filesystem::path& folder, const std::atomic<bool>& stop);
/// The same of going on with a run folder.
Preview preview_resume(const std::filesystem::path& folder, const std::vector<std::string>& amendments,
                       const std::atomic<bool>& stop);

/// Another seed of a case that was measured: the same figures, for a folder of its own.
Preview preview_like(const Preview& measured, const RunPlan& plan, const std::filesystem::path& folder);

Json to_json(const Preview& preview);

}  // namespace moblo::lab::experiments
