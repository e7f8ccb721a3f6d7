#pragma once

#include <Eigen/Core>

#include "moblo/aggregation/weightings/unit_gramian.hpp"

namespace moblo::aggregation {

/// w > 0 with G w = w^(-1/alpha), entry by entry: the unique minimiser of the strictly convex
/// 1/2 w'G w - sum_i phi(w_i), phi' = w^(-1/alpha).
struct FairAllocation {
  Eigen::VectorXd weights;
  /// max_i (|a_i - b_i| + epsilon |g_i| sum_j w_j |g_j|) / b_i with a = G w, b = w^(-1/alpha): what is left of the
  /// equation, and what the rounding of G itself leaves open.
  double residual = 0;
  int iterations = 0;

  bool certified() const { return residual <= 1e-6; }
};

/// One weight a gradient that is not zero. There is no answer where these cancel, 0 in their hull: not certified then.
FairAllocation allocate_fairly(const UnitGramian& unit, double alpha);

}  // namespace moblo::aggregation
