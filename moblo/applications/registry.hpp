#pragma once

#include <memory>
#include <string>

#include "moblo/applications/catalogue.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo {

/// A built-in problem with its resolved options; `seed` decides its data and starting point.
std::unique_ptr<BilevelProblem> make_problem(const std::string& name, const Json& options, std::uint64_t seed);

}  // namespace moblo
