#pragma once

#include <vector>

#include "moblo/records/sample_outcomes.hpp"

namespace moblo::problem {

/// A problem that learns something of each training sample can say so at the end of a run.
class JudgesSamples {
 public:
  virtual ~JudgesSamples() = default;
  /// At the current parameters.
  virtual std::vector<SampleOutcomes> sample_outcomes() = 0;
};

}  // namespace moblo::problem

namespace moblo {

using problem::JudgesSamples;

}  // namespace moblo
