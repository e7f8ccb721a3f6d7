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
};

/// What a method asks of a problem.
struct MethodTraits {
  bool first_order = true;
  bool needs_strongly_convex_lower = false;
  bool needs_interchangeable_batches = false;
};

/// Why the method cannot run on the problem; empty where it can. Asked before iteration 0, and printed by the docs.
std::optional<std::string> unsuitable(const MethodTraits& method, const ProblemTraits& problem);

}  // namespace moblo
