#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

struct MOBLO_API GradientCheckOptions {
  std::int64_t coordinates = 64;  ///< at most so many of each tensor, drawn with the seed
  std::uint64_t seed = 0;
  std::optional<double> tolerance{};  ///< largest |analytic - numeric| / max(1, |analytic|, |numeric|); 1e-6, or 1e-2
                                      ///< in single precision, whose rounding central differences feel
};

/// One coordinate of one loss whose gradient was compared.
struct MOBLO_API GradientCheckRow {
  std::string loss;       ///< F_1 .. F_m, f
  std::string parameter;  ///< name and level
  std::int64_t coordinate = 0;
  double analytic = 0, numeric = 0;
  double error() const;
};

struct MOBLO_API GradientCheckReport {
  std::vector<GradientCheckRow> worst;  ///< one per loss and tensor: that with the largest error
  std::int64_t compared = 0;
  double largest_error = 0;
  bool passed = false;
};

/// Compares autograd with central differences, for every loss and every tensor of both levels.
MOBLO_API GradientCheckReport check_gradients(BilevelProblem& problem, const GradientCheckOptions& options = {});

}  // namespace moblo::gradients

namespace moblo {

using gradients::check_gradients;
using gradients::GradientCheckOptions;
using gradients::GradientCheckReport;

}  // namespace moblo
