#pragma once

#include <optional>
#include <string>
#include <vector>

#include "moblo/base/export.hpp"

namespace moblo::problem {

/// What is known of a problem before it runs.
struct MOBLO_API ProblemTraits {
  bool known_solution_set = false;
  bool strongly_convex_lower = false;   ///< a unique omega*(alpha), as the theory asks for
  bool interchangeable_batches = true;  ///< upper losses can be evaluated on a batch of the lower stream
  bool tasks = false;                   ///< the upper losses are those of one network's tasks
};

/// What a method asks of a problem.
struct MOBLO_API MethodTraits {
  bool first_order = true;
  bool gradient_free = false;
  bool single_level = false;    ///< weighs task losses and moves omega alone
  bool network_a_task = false;  ///< trains one network per task
  bool learns_start = false;    ///< alpha is where the lower loop starts, and is differentiated by as such
  bool needs_strongly_convex_lower = false;
  bool needs_interchangeable_batches = false;
};

/// Why the method cannot run on the problem; empty where it can. Asked before iteration 0, and printed by the docs.
MOBLO_API std::optional<std::string> unsuitable(const MethodTraits& method, const ProblemTraits& problem);

/// Throws Error(problem) that names both, where it cannot.
MOBLO_API void refuse_unsuitable(const std::string& method_name, const MethodTraits& method,
                                 const std::string& problem_name, const ProblemTraits& problem);

}  // namespace moblo::problem

namespace moblo {

using problem::MethodTraits;
using problem::ProblemTraits;

}  // namespace moblo
