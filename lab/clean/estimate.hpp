#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lab/clean/noise_model.hpp"

namespace moblo::lab::clean {

/// A figure that was estimated, with its 90 % interval where there is evidence for one.
struct Estimate {
  double value = 0;
  std::optional<double> low, high;
};

/// The share of which `hits` of `of` are a sample: the exact interval of Clopper and Pearson, 5 % on either side.
Estimate share_of(std::size_t hits, std::size_t of);

/// Mean of independent values and the interval of the normal distribution.
Estimate mean_of(const std::vector<double>& values);

/// A checked pair as it would have been judged, had nobody checked it: by models and a pool that had not seen it.
struct HeldOutPair {
  double probability = 0;  ///< that the given label is wrong
  bool wrong = false;
  bool random = true;  ///< not picked because of what it is: it stands for samples that nobody has checked
};

/// Pairs from which on their evidence has an interval.
inline constexpr std::size_t fewest_pairs = 20;

/// Mean of the probabilities of all samples, corrected by what they miss on average on random pairs; the interval is
/// that of the correction.
Estimate estimate_wrong_share(const std::vector<double>& wrong, const std::vector<HeldOutPair>& pairs);

/// Of a list of all samples down to `threshold`: the mean probability, and the interval of random pairs that would be
/// in it.
Estimate estimate_precision(const std::vector<double>& descending, std::size_t length,
                            const std::vector<HeldOutPair>& pairs);

/// The longest list of most suspicious samples whose mean probability of being wrong is at least `precision`.
/// `descending` are the probabilities, largest first. Returns its length.
std::size_t flagged_at(const std::vector<double>& descending, double precision);

/// The longest one for which the lower end of the precision's interval is at least `bound`; 0 where pairs are too few
/// for any.
std::size_t flagged_at_bound(const std::vector<double>& descending, double bound,
                             const std::vector<HeldOutPair>& pairs);

}  // namespace moblo::lab::clean
