#pragma once

#include <string>
#include <vector>

#include "lab/config/config.hpp"
#include "lab/report/experiment_record.hpp"

namespace moblo::lab::experiments {

/// Keys of an experiment file that hold no options of a run.
const std::vector<std::string>& structure_keys();

/// `preset = "fast"` lays [presets.fast] over the rest of the file.
void apply_preset(config::Config& config);

/// Checks [quick], and lays it over the file where it is wanted.
void apply_quick(config::Config& config, bool quick);

/// What compares cases goes where `--set method=NAME` leaves only some of them.
void drop_comparisons(config::Config& config);

struct NamedConfig {
  report::ExperimentRecord::Case presented;
  config::Config config;
};

/// One configuration per case; one without a name where the file has none. With `--set method=NAME` only the cases of
/// that method, or the file without its cases where none has it.
std::vector<NamedConfig> expand_cases(const config::Config& config);

}  // namespace moblo::lab::experiments
