#include "moblo/aggregation/aggregate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/base/error.hpp"

namespace moblo {
namespace {

/// Exponents of two: entries within it are left as they are; farther than `farthest` no double is moved.
constexpr int ordinary = 200, farthest = 1000;

/// 2^-k, halfway between the shortest and the longest row, so that the squares of both are within range.
double common_factor(const TaskGradients& rows) {
  int low = farthest, high = -farthest;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double largest = rows.row(i).lpNorm<Eigen::Infinity>();
    if (largest == 0) continue;
    low = std::min(low, std::ilogb(largest));
    high = std::max(high, std::ilogb(largest));
  }
  if (low > high || (-ordinary <= low && high <= ordinary)) return 1;
  return std::ldexp(1.0, std::clamp(-(low + high) / 2, -farthest, farthest));
}

void refuse_unless_finite_rows(const TaskGradients& rows) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    if (rows.row(i).allFinite()) continue;
    throw Error(ErrorKind::numeric, fmt::format("gradient {}", i + 1), "is not finite",
                "Look for a loss that overflows; a smaller step size helps");
  }
}

void refuse_unless_squares(const TaskGradients& rows, double factor, bool scale_free) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double own = rows.row(i).stableNorm(), length = factor * own;
    if (length == 0 ? own == 0 : length >= shortest_length && length <= longest_length) continue;
    throw Error(ErrorKind::numeric, fmt::format("gradient {} of length {:.1e}", i + 1, own),
                fmt::format("a product with it {}{}", length > 1 ? "overflows" : "underflows",
                            scale_free ? ", at any scale of all gradients" : ""),
                scale_free ? "Bring the lengths of the gradients nearer to one another"
                           : "Multiply all gradients by one number; the weights of this method depend on it");
  }
}

void refuse_unless_finite_answer(const Aggregate& answer) {
  const auto& weights = answer.weights;
  if (weights.shared.allFinite() && weights.heads.allFinite() && answer.direction.allFinite()) return;
  throw Error(ErrorKind::numeric, fmt::format("the direction of {} gradients", weights.shared.size()),
              "is not finite: a weight or a sum overflows", "Scale the gradients or the losses");
}

}  // namespace

Aggregate aggregate(Weighting& weighting, TaskGradients rows, TaskStep step) {
  const WeightingNeeds needs = weighting.needs();
  refuse_unless_finite_rows(rows);
  const double factor = needs.scale_free ? common_factor(rows) : 1;
  if (needs.gramian) refuse_unless_squares(rows, factor, needs.scale_free);
  if (needs.entries) {
    weighting.rewrite(step, GradientRows<double>{rows.data(), rows.rows(), rows.cols(), rows.cols()});
  }
  if (needs.gramian) {
    const TaskGradients scaled = factor * rows;
    step.gramian = scaled * scaled.transpose();
  }
  Aggregate out{.weights = weighting.weigh(step), .direction = {}};
  out.direction = rows.transpose() * out.weights.shared;
  refuse_unless_finite_answer(out);
  return out;
}

}  // namespace moblo
