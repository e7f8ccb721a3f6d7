#pragma once

#include <optional>
#include <string>
#include <vector>

namespace moblo {

/// What is known of a problem before it runs. No torch here: the catalogue prints them.
struct ProblemTraits {
  bool known_solution_set = false;
  bool strongly_convex_lower = false;   ///< a unique omega*(alpha), as the theory asks for
  bool interchangeable_batches = true;  ///< upper losses can be evaluated on a batch of the lower stream
  bool tasks = false;                   ///< the upper losses are those of one network's tasks
};

/// What a method asks of a problem.
struct MethodTraits {
  bool first_order = true;
  bool gradient_free = false;
  bool single_level = false;    ///< weighs task losses and moves omega alone
  bool network_a_task = false;  ///< trains a network of its own for each task
  bool needs_strongly_convex_lower = false;
  bool needs_interchangeable_batches = false;
};

/// Why the method cannot run on the problem; empty where it can. Asked before iteration 0, and printed by the docs.
std::optional<std::string> unsuitable(const MethodTraits& method, const ProblemTraits& problem);

}  // namespace moblo
