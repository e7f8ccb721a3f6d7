#pragma once

#include <string>
#include <vector>

#include "lab/clean/clean_task.hpp"
#include "lab/clean/findings.hpp"
#include "lab/data/noisy_source.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::clean {

/// What `moblo review` may show: for samples that are listed for review, flagged (2,000 at most) or among the most
/// suspicious, the file of their picture, the picture itself where inputs are pixels, or the row of their table.
/// `command` is the one that goes on; `source` may be null.
struct ReviewPart {
  const CleanTask* task;
  const DatasetFindings* found;
  const data::NoisySource* source;
};
Json review_json(const std::vector<ReviewPart>& parts, const std::string& command);

}  // namespace moblo::lab::clean
