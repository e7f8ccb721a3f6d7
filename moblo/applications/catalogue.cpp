#include "moblo/applications/catalogue.hpp"

#include <fmt/format.h>

#include "moblo/applications/cleaning_options.hpp"
#include "moblo/applications/task_problem_options.hpp"
#include "moblo/applications/toy_options.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo {

const std::vector<ProblemInfo>& problem_catalogue() {
  static const std::vector<ProblemInfo> all{
#define MOBLO_PROBLEM(name) name##_info(),
#include "moblo/applications/catalogue.def"
#undef MOBLO_PROBLEM
  };
  return all;
}

const ProblemInfo& find_problem(const std::string& name, const std::string& place) {
  std::vector<std::string> names;
  for (const auto& info : problem_catalogue()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw Error(ErrorKind::config, fmt::format("{}: problem = \"{}\"", place, name), "there is no such problem",
              suggestion(name, names));
}

}  // namespace moblo
