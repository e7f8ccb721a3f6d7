#pragma once

#include <vector>

#include "moblo/problem/problem_info.hpp"

namespace moblo::conformance {

/// The problems of this room, which know their solutions.
const std::vector<ProblemInfo>& known_problems();

}  // namespace moblo::conformance
