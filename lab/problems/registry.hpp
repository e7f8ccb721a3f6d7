#pragma once

#include <memory>
#include <string>
#include <vector>

#include "moblo/problem/problem_info.hpp"

namespace moblo::lab::problems {

const std::vector<ProblemInfo>& problem_catalogue();

/// Throws Error(config) that suggests the nearest name.
const ProblemInfo& find_problem(const std::string& name, const std::string& place);

/// A built-in problem with its resolved options; `seed` decides its data and starting point.
std::unique_ptr<BilevelProblem> make_problem(const std::string& name, const Json& options, std::uint64_t seed);

}  // namespace moblo::lab::problems
