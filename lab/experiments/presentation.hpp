#pragma once

#include "lab/config/config.hpp"
#include "lab/report/experiment_record.hpp"

namespace moblo::lab::experiments {

/// The part of an experiment file that says what to show and how to judge it: title, cost, [[panel]], [[expect]],
/// [[table]].
report::ExperimentRecord read_presentation(const config::Config& config);

/// Throws Error(config) where a panel, a table or an expectation names a case that does not exist.
void refuse_unknown_cases(const report::ExperimentRecord& record);

}  // namespace moblo::lab::experiments
