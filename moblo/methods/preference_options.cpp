#include "moblo/methods/preference_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "moblo/base/error.hpp"
#include "moblo/gradients/contract.hpp"

namespace moblo::methods {
namespace {

Eigen::VectorXd one_per_objective(const std::vector<double>& values, std::int64_t objectives, const std::string& key) {
  if (!values.empty() && static_cast<std::int64_t>(values.size()) != objectives) {
    throw Error(ErrorKind::config, fmt::format("{} = [{}]", key, fmt::join(values, ", ")),
                fmt::format("has {} numbers, and the problem {} objectives", values.size(), objectives),
                "Give one number per objective");
  }
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace

aggregation::PreferenceOptions resolved_preference(const PreferenceFields& fields, const BilevelProblem& problem,
                                                   std::int64_t objectives, const std::string& method) {
  aggregation::PreferenceOptions resolved;
  resolved.preference = one_per_objective(fields.preference, objectives, method + ".preference");
  resolved.reference = one_per_objective(fields.reference, objectives, method + ".reference");
  resolved.pull = fields.pull;
  resolved.limit_rate = fields.limit_rate;
  resolved.limit_tolerance = fields.limit_tolerance;
  const auto names = gradients::names_of_objectives(problem, objectives);
  for (const auto& [name, value] : fields.limits) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw Error(ErrorKind::config, fmt::format("{}.limits names \"{}\"", method, name),
                  "the problem has no such objective", fmt::format("Its objectives are {}", fmt::join(names, ", ")));
    }
    resolved.limits.push_back({found - names.begin(), value, name});
  }
  if (!resolved.limits.empty() && static_cast<std::int64_t>(resolved.limits.size()) == objectives) {
    throw Error(ErrorKind::config, method + ".limits", "limits every objective, so that none is left to minimise",
                "Leave out the limit of the objective that shall become as small as possible");
  }
  return resolved;
}

}  // namespace moblo::methods
