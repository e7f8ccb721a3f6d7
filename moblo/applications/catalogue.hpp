#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "moblo/base/json.hpp"
#include "moblo/base/options.hpp"
#include "moblo/problem/traits.hpp"

namespace moblo {

/// What can be said of a built-in problem without torch.
struct ProblemInfo {
  std::string name, summary;
  ProblemTraits traits;
  std::vector<FieldInfo> fields;
  /// Defaults overlaid with the given table; throws Error(config).
  std::function<Json(const Json& table, const OptionPlace& place)> resolve;
};

template <class Options>
ProblemInfo make_problem_info(std::string name, std::string summary, ProblemTraits traits) {
  return {std::move(name), std::move(summary), traits, Options::table().fields(),
          [](const Json& table, const OptionPlace& place) {
            Options options;
            Options::table().read(table, options, place);
            return Options::table().write(options);
          }};
}

const std::vector<ProblemInfo>& problem_catalogue();

/// Throws Error(config) that suggests the nearest name.
const ProblemInfo& find_problem(const std::string& name, const std::string& place);

}  // namespace moblo
