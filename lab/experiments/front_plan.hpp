#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "lab/config/config.hpp"
#include "lab/experiments/plan.hpp"
#include "moblo/fronts/front_options.hpp"
#include "moblo/fronts/planner.hpp"

namespace moblo::lab::experiments {

/// A front of one problem and one method, with every option resolved: what front_plan.json holds.
struct FrontPlan {
  std::string name, title, source;
  RunPlan run;  ///< of a point with a cold start, apart from its preference
  FrontOptions options;
  std::int64_t jobs = 0;  ///< points at a time; 0 = one per core. It changes no number and is not stored

  Json to_json() const;
};

/// Reads an experiment file with an optional table [front]. Throws Error(config) where it describes several runs, and
/// where its method takes no preference.
FrontPlan plan_front(const config::Config& config, std::optional<std::uint64_t> seed);

/// The run of one point; its folder is relative to the front's.
RunPlan plan_point(const FrontPlan& front, const fronts::PlannedPoint& point);

void write_front_plan(const std::filesystem::path& folder, const FrontPlan& plan);
/// Empty where the folder has no front_plan.json.
std::optional<FrontPlan> read_front_plan(const std::filesystem::path& folder);

}  // namespace moblo::lab::experiments
