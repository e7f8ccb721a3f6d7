#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

struct MOBLO_API ProblemShape {
  std::int64_t m = 0;                   ///< objectives
  std::int64_t n = 0;                   ///< upper variables
  std::int64_t p = 0;                   ///< lower variables
  std::int64_t p_of_step = 0;           ///< those that one step moves: all but the rows of other tasks
  std::int64_t pass_bytes = 0;          ///< of tensors, that the losses and a gradient of f hold at most
  bool draws_random = false;            ///< the losses take numbers from torch's generator (dropout)
  std::vector<std::string> objectives;  ///< their names
  std::vector<std::string> warnings;    ///< what may be meant, and may be a mistake
};

/// Evaluates the losses once and refuses a problem that breaks its contract, by Error(problem): no objectives, losses
/// that are no scalars, not finite or without a gradient, parameters of mixed types or that share memory, a lower loss
/// that ignores omega, a lower parameter that nothing reads. An upper parameter that nothing reads is a warning, unless
/// the lower loop starts at it (`learned_start`). Takes over values that were loaded into the parameters since they
/// were added. Leaves batches, buffers and random numbers as they were.
MOBLO_API ProblemShape check_contract(BilevelProblem& problem, bool learned_start = false);

/// As the problem names them, or F1, F2, ... Throws Error(problem) where it names another number of them.
MOBLO_API std::vector<std::string> names_of_objectives(const BilevelProblem& problem, std::int64_t objectives);

}  // namespace moblo::gradients

namespace moblo {

using gradients::ProblemShape;

}  // namespace moblo
