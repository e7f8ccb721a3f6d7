#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/clean/noise_model.hpp"

namespace moblo::lab::clean {

/// A sample that somebody should look at, and why: `random`, `uncertain` or `influential`.
struct ReviewItem {
  std::size_t sample = 0;
  std::string reason;
};

/// `count` samples whose checking would teach most. Three in ten are drawn at random, so that the share of wrong labels
/// can be estimated from them without bias. Of the others, half are those of whose label it is least known whether it
/// is wrong; half those that would change a model most if their true class were known: the expected length of the
/// loss's gradient by the scores. Both are drawn in every class of given labels, in proportion to what there is to be
/// learned, and with chances in that proportion, so that they are not all alike.
std::vector<ReviewItem> review_items(const std::vector<double>& wrong, const ClassChances& posterior,
                                     const ClassChances& chances, const Labels& given, std::size_t count,
                                     std::uint64_t seed);

}  // namespace moblo::lab::clean
