#pragma once

#include <string>
#include <vector>

#include "moblo/base/config.hpp"
#include "moblo/record/experiment_record.hpp"

namespace moblo {

/// Keys of an experiment file that hold no options of a run.
const std::vector<std::string>& structure_keys();

/// `preset = "fast"` lays [presets.fast] over the rest of the file.
void apply_preset(Config& config);

/// Checks [quick], and lays it over the file where it is wanted.
void apply_quick(Config& config, bool quick);

/// What compares cases goes where `--set method=NAME` leaves only some of them.
void drop_comparisons(Config& config);

struct NamedConfig {
  ExperimentRecord::Case presented;
  Config config;
};

/// One configuration a case; one without a name where the file has none. With `--set method=NAME` only the cases of
/// that method, or the file without its cases where none has it.
std::vector<NamedConfig> expand_cases(const Config& config);

}  // namespace moblo
