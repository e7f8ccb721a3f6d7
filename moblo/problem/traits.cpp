#include "moblo/problem/traits.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"

namespace moblo::problem {

std::optional<std::string> unsuitable(const MethodTraits& method, const ProblemTraits& problem) {
  if (method.needs_strongly_convex_lower && !problem.strongly_convex_lower) {
    return "it inverts the lower Hessian, and the lower loss is not known to be strongly convex";
  }
  if (method.needs_interchangeable_batches && !problem.interchangeable_batches) {
    return "it evaluates the upper losses on lower-level batches (upper_data = \"lower\"), and the two levels of this "
           "problem do not share their data";
  }
  if (method.single_level && !problem.tasks) {
    return "it weighs the losses of tasks on one level, and this problem is no set of tasks";
  }
  return std::nullopt;
}

void refuse_unsuitable(const std::string& method_name, const MethodTraits& method, const std::string& problem_name,
                       const ProblemTraits& problem) {
  if (const auto reason = unsuitable(method, problem)) {
    throw Error(ErrorKind::problem, fmt::format("method {} on {}", method_name, problem_name), *reason,
                "Choose another pair; `moblo list methods` shows what suits what");
  }
}

}  // namespace moblo::problem
