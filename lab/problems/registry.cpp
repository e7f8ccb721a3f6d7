#include "lab/problems/registry.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/conformance/known_problems.hpp"

namespace moblo::lab::problems {

#define MOBLO_PROBLEM(name) ProblemInfo name##_info();
#include "lab/problems/problems.def"
#undef MOBLO_PROBLEM

const std::vector<ProblemInfo>& problem_catalogue() {
  static const auto all = [] {
    auto problems = conformance::known_problems();
#define MOBLO_PROBLEM(name) problems.push_back(name##_info());
#include "lab/problems/problems.def"
#undef MOBLO_PROBLEM
    return problems;
  }();
  return all;
}

const ProblemInfo& find_problem(const std::string& name, const std::string& place) {
  std::vector<std::string> names;
  for (const auto& info : problem_catalogue()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw Error(ErrorKind::config, fmt::format("{}: problem = \"{}\"", place, name), "there is no such problem",
              base::suggestion(name, names));
}

std::unique_ptr<BilevelProblem> make_problem(const std::string& name, const Json& options, std::uint64_t seed) {
  return find_problem(name, "make_problem").make(options, seed);
}

}  // namespace moblo::lab::problems
