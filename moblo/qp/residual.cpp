#include "moblo/qp/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "moblo/qp/violation.hpp"

namespace moblo::qp {
namespace {

using ConstMatrix = Eigen::Ref<const Eigen::MatrixXd>;
using ConstVector = Eigen::Ref<const Eigen::VectorXd>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A row of a simplex: its weight, its entry of the gradient, its length, the size of its linear term.
struct SimplexRow {
  double weight, gradient, length, linear_size;
};

/// All KKT rows of one simplex, for the rows row(0)..row(count - 1) and the data magnitude D.
template <class Row>
double simplex_residual(Eigen::Index count, double magnitude, Row row) {
  double residual = 0, total = 0, average = 0, average_size = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const SimplexRow at = row(i);
    raise(residual, -at.weight);
    total += at.weight;
    average += at.weight * at.gradient;
    average_size += std::abs(at.weight) * at.linear_size;
  }
  raise(residual, std::abs(total - 1));
  if (vanishes(magnitude) && average_size == 0) return residual;
  for (Eigen::Index i = 0; i < count; ++i) {
    const SimplexRow at = row(i);
    const double reduced = at.gradient - average;
    const double unit = (at.length + magnitude) * magnitude + at.linear_size + average_size;
    if (!std::isfinite(unit)) return infinity;  // it would divide every violation to zero
    raise(residual, -reduced / unit);
    raise(residual, std::abs(at.weight * reduced) / (magnitude * magnitude + average_size));
  }
  return residual;
}

double weighted_length(const ConstMatrix& gramian, const ConstVector& weights) {
  double total = 0;
  for (Eigen::Index i = 0; i < weights.size(); ++i) total += std::abs(weights[i]) * row_length(gramian, i);
  return total;
}

/// Of the limits: the rows a_j C/|a_j| and the zero row. `gradient` is that of kappa.
double limit_residual(const ForumDual& problem, const ConstVector& kappa, const ConstVector& gradient,
                      double magnitude) {
  const Eigen::Index limits = problem.limits();
  const auto length = [&](Eigen::Index j) { return row_length(problem.gramian, problem.objectives() + j); };
  const double bound = problem.limit_bound;
  double taken = 0;
  for (Eigen::Index j = 0; j < limits; ++j) {
    const bool takes_part = length(j) > 0 && bound > 0;
    if (!takes_part && kappa[j] != 0) return infinity;
    if (takes_part) taken += kappa[j] * length(j) / bound;
  }
  return simplex_residual(limits + 1, magnitude, [&](Eigen::Index j) -> SimplexRow {
    if (j == limits) return {1 - taken, 0, 0, 0};
    if (length(j) == 0 || bound == 0) return {0, 0, 0, 0};
    const double scale = bound / length(j);
    return {kappa[j] / scale, scale * gradient[j], bound, std::abs(scale * problem.allowed[j])};
  });
}

}  // namespace

double kkt_residual(const ConstMatrix& gramian, const ConstVector& weights, Eigen::Ref<Eigen::VectorXd> scratch) {
  const Eigen::Index m = weights.size();
  if (gramian.rows() != m || gramian.cols() != m) return infinity;
  for (Eigen::Index i = 0; i < m; ++i) scratch[i] = gramian.col(i).dot(weights);
  return simplex_residual(m, weighted_length(gramian, weights), [&](Eigen::Index i) -> SimplexRow {
    return {weights[i], scratch[i], row_length(gramian, i), 0};
  });
}

double kkt_residual(const ForumDual& problem, const ForumAnswer& answer, Eigen::Ref<Eigen::VectorXd> scratch) {
  const ConstVector& weights = answer.weights;
  const Eigen::Index m = weights.size(), rows = m + problem.limits();
  const ConstVector& kappa = answer.limit_multipliers;
  if (problem.gramian.rows() != rows + 1 || problem.gramian.cols() != rows + 1) return infinity;
  if (kappa.size() != problem.limits()) return infinity;
  const double length = row_length(problem.gramian, rows);
  if (length == 0 && answer.multiplier != 0) return infinity;

  // All gamma quantities in units of a unit q: gamma |q|, phi / |q|, mu / |q|, beta = (lambda, kappa)'b / |q|.
  const bool constrained = length > 0;
  const double gamma = answer.multiplier * length;
  const double phi = constrained ? problem.phi / length : 0;
  const auto products = problem.gramian.col(rows).head(rows);
  const double beta = constrained ? (products.head(m).dot(weights) + products.tail(rows - m).dot(kappa)) / length : 0;
  double magnitude = weighted_length(problem.gramian, weights) + std::abs(gamma) + phi;
  for (Eigen::Index j = 0; j < kappa.size(); ++j) magnitude += std::abs(kappa[j]) * row_length(problem.gramian, m + j);

  double residual = 0;
  double bound_dual = 0;
  double shrink = 0;  // s / (s + floor)
  if (constrained && !vanishes(magnitude)) {
    raise(residual, -gamma / magnitude);
    if (problem.multiplier == Multiplier::paper) {
      shrink = length / (length + problem.floor / length);
      const double slack = gamma - shrink * (2 * phi * weights.sum() - beta);
      bound_dual = answer.bound_multiplier / length;
      raise(residual, -slack / magnitude);
      raise(residual, -bound_dual / magnitude);
      raise(residual, std::abs(bound_dual * slack) / (magnitude * magnitude));
    }
    const double sign_dual = beta + gamma - phi - bound_dual;
    raise(residual, -sign_dual / magnitude);
    raise(residual, std::abs(sign_dual * gamma) / (magnitude * magnitude));
  }

  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto column = problem.gramian.col(i).head(rows);
    scratch[i] = column.head(m).dot(weights) + column.tail(rows - m).dot(kappa);
  }
  if (constrained) scratch += ((gamma - shrink * bound_dual) / length) * products;
  scratch.head(problem.merits.size()) -= problem.merits;
  scratch.tail(rows - m) += problem.allowed;
  raise(residual, simplex_residual(m, magnitude, [&](Eigen::Index i) -> SimplexRow {
          const double merit = problem.merits.size() == 0 ? 0 : std::abs(problem.merits[i]);
          return {weights[i], scratch[i], row_length(problem.gramian, i), merit};
        }));
  if (rows > m) raise(residual, limit_residual(problem, kappa, scratch.tail(rows - m), magnitude));
  return residual;
}

double kkt_residual(const ConstMatrix& gramian, const ConstVector& weights) {
  Eigen::VectorXd scratch(weights.size());
  return kkt_residual(gramian, weights, scratch);
}

double kkt_residual(const ForumDual& problem, const ForumAnswer& answer) {
  Eigen::VectorXd scratch(answer.weights.size() + problem.limits());
  return kkt_residual(problem, answer, scratch);
}

}  // namespace moblo::qp
