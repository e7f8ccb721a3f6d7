#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "moblo/base/json.hpp"
#include "moblo/base/options.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/problem/traits.hpp"

namespace moblo::problem {

/// A problem that is made from options: what the program lists, checks and runs by name.
struct ProblemInfo {
  using Make = std::function<std::unique_ptr<BilevelProblem>(const Json& resolved, std::uint64_t seed)>;

  std::string name, summary;
  ProblemTraits traits;
  std::vector<FieldInfo> fields;
  /// Defaults overlaid with the given table; throws Error(config).
  std::function<Json(const Json& table, const OptionPlace& place)> resolve;
  /// `seed` decides its data and starting point.
  Make make;
};

template <class Options>
ProblemInfo make_problem_info(std::string name, std::string summary, ProblemTraits traits, ProblemInfo::Make make) {
  return {std::move(name),
          std::move(summary),
          traits,
          Options::table().fields(),
          [](const Json& table, const OptionPlace& place) {
            Options options;
            Options::table().read(table, options, place);
            return Options::table().write(options);
          },
          std::move(make)};
}

/// Of a class that is made from its options, and from the seed where it takes one.
template <class Problem, class Options>
ProblemInfo make_problem_info(std::string name, std::string summary, ProblemTraits traits) {
  return make_problem_info<Options>(std::move(name), std::move(summary), traits,
                                    [](const Json& resolved, std::uint64_t seed) -> std::unique_ptr<BilevelProblem> {
                                      Options options;
                                      Options::table().read(resolved, options, {});
                                      if constexpr (std::is_constructible_v<Problem, Options, std::uint64_t>) {
                                        return std::make_unique<Problem>(options, seed);
                                      } else {
                                        return std::make_unique<Problem>(options);
                                      }
                                    });
}

}  // namespace moblo::problem

namespace moblo {

using problem::ProblemInfo;

}  // namespace moblo
