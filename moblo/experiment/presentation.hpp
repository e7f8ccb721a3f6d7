#pragma once

#include "moblo/base/config.hpp"
#include "moblo/record/experiment_record.hpp"

namespace moblo {

/// The part of an experiment file that says what to show and how to judge it: title, cost, [[panel]], [[expect]],
/// [[table]].
ExperimentRecord read_presentation(const Config& config);

/// Throws Error(config) where a panel, a table or an expectation names a case that does not exist.
void refuse_unknown_cases(const ExperimentRecord& record);

}  // namespace moblo
