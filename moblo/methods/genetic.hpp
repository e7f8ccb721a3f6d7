#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "moblo/methods/nsga2.hpp"

namespace moblo::methods {

using Fitness = std::function<std::vector<double>(const std::vector<double>&)>;

/// One generation of NSGA-II (pagmo's): a function of its arguments alone, so that a resumed search repeats it.
std::vector<Individual> next_generation(const std::vector<Individual>& population, const std::vector<double>& low,
                                        const std::vector<double>& high, const Nsga2Options& options,
                                        std::uint64_t seed, const Fitness& fitness);

/// Puts `candidate` into the archive unless a member is at least as good in everything, and drops those it beats.
/// Beyond `limit` members the one in the densest place goes.
void offer(std::vector<Individual>& archive, const Individual& candidate, std::size_t limit);

}  // namespace moblo::methods
