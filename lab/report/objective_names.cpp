#include "lab/report/objective_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace moblo::lab::report {

ObjectiveNames::ObjectiveNames(const Manifest& manifest) {
  const auto& problem = manifest.problem;
  if (!problem.is_object() || !problem.contains("objectives") || !problem["objectives"].is_array()) return;
  for (const auto& name : problem["objectives"]) names_.push_back(name.is_string() ? name.get<std::string>() : "");
}

ObjectiveNames::ObjectiveNames(const NamedRuns& runs) {
  if (runs.empty()) return;
  const ObjectiveNames first(runs.front().second.manifest);
  const bool agree = std::all_of(runs.begin(), runs.end(),
                                 [&](const auto& run) { return ObjectiveNames(run.second.manifest) == first; });
  if (agree) names_ = first.names_;
}

std::string ObjectiveNames::operator[](std::size_t objective) const {
  const bool named = objective < names_.size() && !names_[objective].empty();
  return named ? names_[objective] : fmt::format("F{}", objective + 1);
}

}  // namespace moblo::lab::report
