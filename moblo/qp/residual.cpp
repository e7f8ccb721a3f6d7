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

double simplex_violation(const ConstVector& weights) {
  double residual = 0;
  raise(residual, std::abs(weights.sum() - 1));
  for (const double weight : weights) raise(residual, -weight);
  return residual;
}

double weighted_length(const ConstMatrix& gramian, const ConstVector& weights) {
  double total = 0;
  for (Eigen::Index i = 0; i < weights.size(); ++i) total += std::abs(weights[i]) * row_length(gramian, i);
  return total;
}

/// Dual feasibility and complementarity of the simplex rows for a given gradient a and data magnitude D.
double simplex_stationarity(const ConstMatrix& gramian, const ConstVector& weights, const ConstVector& gradient,
                            double magnitude) {
  const double average = weights.dot(gradient);
  double residual = 0;
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    const double reduced = gradient[i] - average;
    const double unit = (row_length(gramian, i) + magnitude) * magnitude;
    if (!std::isfinite(unit)) return infinity;  // it would divide every violation to zero
    raise(residual, -reduced / unit);
    raise(residual, std::abs(weights[i] * reduced) / (magnitude * magnitude));
  }
  return residual;
}

void multiply(const ConstMatrix& gramian, const ConstVector& weights, Eigen::Ref<Eigen::VectorXd> product) {
  const Eigen::Index m = weights.size();
  for (Eigen::Index i = 0; i < m; ++i) product[i] = gramian.col(i).head(m).dot(weights);
}

double min_norm_residual(const ConstMatrix& gramian, const ConstVector& weights, Eigen::Ref<Eigen::VectorXd> gradient) {
  double residual = simplex_violation(weights);
  const double magnitude = weighted_length(gramian, weights);
  if (vanishes(magnitude)) return residual;
  multiply(gramian, weights, gradient);
  raise(residual, simplex_stationarity(gramian, weights, gradient, magnitude));
  return residual;
}

}  // namespace

double kkt_residual(const ConstMatrix& gramian, const ConstVector& weights, Eigen::Ref<Eigen::VectorXd> scratch) {
  if (gramian.rows() != weights.size() || gramian.cols() != weights.size()) return infinity;
  return min_norm_residual(gramian, weights, scratch);
}

double kkt_residual(const ForumDual& problem, const ForumAnswer& answer, Eigen::Ref<Eigen::VectorXd> scratch) {
  const ConstVector& weights = answer.weights;
  const Eigen::Index m = weights.size();
  if (problem.gramian.rows() != m + 1 || problem.gramian.cols() != m + 1) return infinity;
  const double length = row_length(problem.gramian, m);
  if (length == 0) return answer.multiplier == 0 ? min_norm_residual(problem.gramian, weights, scratch) : infinity;

  // All gamma quantities in units of a unit q: gamma |q|, phi / |q|, mu / |q|, lambda'b / |q|.
  const double gamma = answer.multiplier * length;
  const double phi = problem.phi / length;
  const double product = problem.gramian.col(m).head(m).dot(weights) / length;
  const double magnitude = weighted_length(problem.gramian, weights) + std::abs(gamma) + phi;
  double residual = simplex_violation(weights);
  if (vanishes(magnitude)) return residual;

  raise(residual, -gamma / magnitude);
  const double slope = product + gamma - phi;
  double bound_dual = 0;
  double shrink = 0;  // s / (s + floor)
  if (problem.multiplier == Multiplier::paper) {
    shrink = length / (length + problem.floor / length);
    const double slack = gamma - shrink * (2 * phi * weights.sum() - product);
    bound_dual = answer.bound_multiplier / length;
    raise(residual, -slack / magnitude);
    raise(residual, -bound_dual / magnitude);
    raise(residual, std::abs(bound_dual * slack) / (magnitude * magnitude));
  }
  const double sign_dual = slope - bound_dual;
  raise(residual, -sign_dual / magnitude);
  raise(residual, std::abs(sign_dual * gamma) / (magnitude * magnitude));

  multiply(problem.gramian, weights, scratch);
  scratch += ((gamma - shrink * bound_dual) / length) * problem.gramian.col(m).head(m);
  raise(residual, simplex_stationarity(problem.gramian, weights, scratch, magnitude));
  return residual;
}

double kkt_residual(const ConstMatrix& gramian, const ConstVector& weights) {
  Eigen::VectorXd scratch(weights.size());
  return kkt_residual(gramian, weights, scratch);
}

double kkt_residual(const ForumDual& problem, const ForumAnswer& answer) {
  Eigen::VectorXd scratch(answer.weights.size());
  return kkt_residual(problem, answer, scratch);
}

}  // namespace moblo::qp
