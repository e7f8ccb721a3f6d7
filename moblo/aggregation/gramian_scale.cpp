#include "moblo/aggregation/gramian_scale.hpp"

#include <fmt/format.h>

#include <cmath>

#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/base/error.hpp"
#include "moblo/qp/problem.hpp"
#include "moblo/qp/unit.hpp"

namespace moblo::aggregation {
namespace {

/// Exponents of two, of squares. Solvers multiply a square by weights, and by m^2: the rest is room for that.
constexpr int widest_range = 1800;

struct Span {
  Eigen::Index shortest = -1, longest = -1;  // rows; -1 where all are zero
};

Span span_of(const Eigen::MatrixXd& gramian) {
  Span span;
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    if (qp::row_length(gramian, i) == 0) continue;
    if (span.shortest < 0 || gramian(i, i) < gramian(span.shortest, span.shortest)) span.shortest = i;
    if (span.longest < 0 || gramian(i, i) > gramian(span.longest, span.longest)) span.longest = i;
  }
  return span;
}

}  // namespace

ScaledGramian scaled_gramian(const std::string& who, const Eigen::MatrixXd& gramian, int ordinary) {
  refuse_unless_gramian(who, gramian);
  ScaledGramian scaled{gramian, 1};
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    if (qp::row_length(gramian, i) > 0) continue;
    scaled.values.row(i).setZero();
    scaled.values.col(i).setZero();
  }
  const Span span = span_of(gramian);
  if (span.shortest < 0) return scaled;
  const double shortest = qp::row_length(gramian, span.shortest), longest = qp::row_length(gramian, span.longest);
  const int low = std::ilogb(gramian(span.shortest, span.shortest));
  const int high = std::ilogb(gramian(span.longest, span.longest));
  if (high - low > widest_range) {
    throw Error(ErrorKind::numeric,
                fmt::format("{}: gradients {} and {} of lengths {:.1e} and {:.1e}", who, span.shortest + 1,
                            span.longest + 1, shortest, longest),
                fmt::format("lengths may differ by a factor of {:.0e} at most", std::ldexp(1.0, widest_range / 2)),
                "Rescale the losses");
  }
  const int exponent = qp::unit_exponent(gramian, ordinary);
  if (exponent == 0) return scaled;
  scaled.unit = std::ldexp(1.0, exponent);
  scaled.values *= std::ldexp(1.0, -2 * exponent);
  return scaled;
}

}  // namespace moblo::aggregation
