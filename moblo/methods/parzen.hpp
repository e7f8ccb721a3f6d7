#pragma once

#include <vector>

#include "moblo/base/rng.hpp"

namespace moblo::methods {

/// A density on [low, high] around points in the order they were tried: normals, truncated, each as wide as the larger
/// gap to its neighbours, with one as wide as the range in the middle. Of more than 25 points the older ones count
/// less.
class ParzenEstimator {
 public:
  ParzenEstimator(const std::vector<double>& points, double low, double high);

  double sample(Rng& rng) const;
  double log_density(double x) const;

 private:
  struct Normal {
    double mean, width, weight;
  };
  double low_, high_;
  std::vector<Normal> normals_;
  double total_weight_ = 0, mass_ = 0;  // of the weights, and of the part of the mixture that lies in the range
};

/// The candidate of `good` that is likeliest there compared with `bad`: largest expected improvement.
double suggest(const ParzenEstimator& good, const ParzenEstimator& bad, std::int64_t candidates, Rng& rng);

}  // namespace moblo::methods
