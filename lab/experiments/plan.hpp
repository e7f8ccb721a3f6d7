#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/config/config.hpp"
#include "lab/report/experiment_record.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::experiments {

/// One run, with every option resolved: what a manifest holds and a resume starts from.
struct RunPlan {
  std::string name;    ///< for people
  std::string group;   ///< the case of which it is one seed
  std::string folder;  ///< for the file system, below the experiment's
  std::string problem, method;
  std::uint64_t seed = 0;
  std::int64_t threads = 0;  ///< 0 = all cores
  std::string warm_start;    ///< a run folder beside this run's, or an absolute path: the run begins at its end
  Json problem_options, method_options, training;

  /// In the form of an experiment file.
  Json config() const;
  /// Of all that decides the numbers; a checkpoint of another run is told by it.
  std::string fingerprint() const;
};

/// Whether a fingerprint, maybe of an older version, is the plan's: an option that it does not name has its default.
bool is_of(const RunPlan& plan, const Json& fingerprint);

struct ExperimentPlan {
  std::vector<RunPlan> runs;
  report::ExperimentRecord record;  ///< title, cost, panels, tables, expectations; cases are the runs
  std::int64_t jobs = 0;            ///< how many run at a time; 0 = one per core
};

/// Reads an experiment file: problem, method, their tables, the training options, and optionally [[case]] (overlays of
/// the whole, one run each), [[panel]], [[table]], [[expect]], [quick] and [presets.NAME] with preset = "NAME". Several
/// seeds, given here or in the file, multiply the cases. What --set gave wins over [quick], that over a preset, that
/// over the rest. Checks every option and that the method suits the problem; throws Error(config) or Error(problem).
/// Evaluates nothing and reads no data.
ExperimentPlan plan_experiment(const config::Config& config, const std::vector<std::uint64_t>& seeds = {},
                               bool quick = false);

/// The plan of a run folder, from its manifest. `amendments` (key=value) may extend it: iterations, stop.*, how often
/// it is recorded, the refit after it, and step sizes; anything else would make it another run.
RunPlan plan_resume(const Json& manifest_config, const std::vector<std::string>& amendments);

/// The runs of an experiment, from its record. Error(data) where an older version has written it without the plans.
std::vector<RunPlan> plan_resume(const report::ExperimentRecord& record, const std::vector<std::string>& amendments);

/// `0..2`, `0,3,5` or `7`.
std::vector<std::uint64_t> parse_seeds(const std::string& text);

}  // namespace moblo::lab::experiments
