#pragma once

#include <cstdint>

#include "moblo/problem/problem.hpp"

namespace moblo {

struct ProblemShape {
  std::int64_t m = 0;           ///< objectives
  std::int64_t n = 0;           ///< upper variables
  std::int64_t p = 0;           ///< lower variables
  std::int64_t pass_bytes = 0;  ///< of tensors, that the losses and a gradient of f hold at most
};

/// Evaluates the losses once and refuses a problem that breaks its contract, by Error(problem): no objectives, losses
/// that are no scalars or not finite, parameters of mixed types, a lower loss that ignores omega. Leaves batches,
/// buffers and random numbers as they were.
ProblemShape check_contract(BilevelProblem& problem);

}  // namespace moblo
