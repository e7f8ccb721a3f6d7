#pragma once

#include <vector>

#include "lab/clean/noise_model.hpp"

namespace moblo::lab::clean {

/// Two classes that are hard to tell apart.
struct Overlap {
  std::size_t first = 0, second = 0;
  double share = 0;                  ///< of the samples of the smaller one: what nobody could tell from the other
  std::size_t given_otherwise = 0;   ///< samples given one of the two that are more probably of the other
  std::vector<std::size_t> between;  ///< the samples that are most in doubt, most first
};

/// From the chances p(c | x) of judges that are honest: sum_x min(p_a, p_b) is what even the best judge would confuse.
/// Pairs of at least `least_share`, the largest first.
std::vector<Overlap> find_overlaps(const ClassChances& chances, const Labels& given, double least_share = 0.02,
                                   std::size_t most = 10, std::size_t examples = 6);

}  // namespace moblo::lab::clean
