#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "moblo/problem/problem.hpp"

namespace moblo {

struct GradientCheckOptions {
  std::int64_t coordinates = 64;  ///< at most so many of each tensor, drawn with the seed
  std::uint64_t seed = 0;
  double tolerance = 1e-6;  ///< largest |analytic - numeric| / max(1, |analytic|, |numeric|)
};

/// One coordinate of one loss whose gradient was compared.
struct GradientCheckRow {
  std::string loss;       ///< F_1 .. F_m, f
  std::string parameter;  ///< name and level
  std::int64_t coordinate = 0;
  double analytic = 0, numeric = 0;
  double error() const;
};

struct GradientCheckReport {
  std::vector<GradientCheckRow> worst;  ///< one a loss and tensor: that with the largest error
  std::int64_t compared = 0;
  double largest_error = 0;
  bool passed = false;
};

/// Compares autograd with central differences, for every loss and every tensor of both levels. Needs double precision.
GradientCheckReport check_gradients(BilevelProblem& problem, const GradientCheckOptions& options = {});

}  // namespace moblo
