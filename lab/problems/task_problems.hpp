#pragma once

#include <cstdint>
#include <memory>

#include "lab/problems/task_problem_options.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::lab::problems {

std::unique_ptr<BilevelProblem> make_multi_mnist(const Json& options, std::uint64_t seed);
std::unique_ptr<BilevelProblem> make_multi_fashion(const Json& options, std::uint64_t seed);
std::unique_ptr<BilevelProblem> make_office31(const Json& options, std::uint64_t seed);
std::unique_ptr<BilevelProblem> make_nyuv2(const Json& options, std::uint64_t seed);
std::unique_ptr<BilevelProblem> make_qm9(const Json& options, std::uint64_t seed);

template <class Options>
Options read_options(const Json& resolved) {
  Options options;
  Options::table().read(resolved, options, {});
  return options;
}

}  // namespace moblo::lab::problems
