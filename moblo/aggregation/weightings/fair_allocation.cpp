#include "moblo/aggregation/weightings/fair_allocation.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace moblo::aggregation {
namespace {

constexpr int most_iterations = 300;
constexpr int most_halvings = 60;
constexpr double stay_inside = 0.99;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// In units of unit gradients, x_i = |g_i| w_i: C x = b(x), b_i = |g_i|^(1/alpha - 1) x_i^(-1/alpha).
struct Balance {
  Eigen::MatrixXd cosines;
  Eigen::ArrayXd factors;  // |g_i|^(1/alpha - 1)
  double power = 1;        // 1 / alpha

  Eigen::ArrayXd pull(const Eigen::VectorXd& x) const { return factors * x.array().pow(-power); }
  Eigen::VectorXd gradient(const Eigen::VectorXd& x) const { return (cosines * x).array() - pull(x); }

  Eigen::VectorXd newton_step(const Eigen::VectorXd& x) const {
    Eigen::MatrixXd hessian = cosines;
    hessian.diagonal().array() += power * pull(x) / x.array();
    return -hessian.llt().solve(gradient(x));
  }

  double residual(const Eigen::VectorXd& x) const {
    return ((gradient(x).array().abs() + epsilon * x.sum()) / pull(x)).maxCoeff();
  }
};

/// The objective is convex along the step, so its slope decides: halve until the slope is negative or small.
double damping(const Balance& balance, const Eigen::VectorXd& x, const Eigen::VectorXd& step) {
  double length = 1;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (step(i) < 0) length = std::min(length, -stay_inside * x(i) / step(i));
  }
  const double first = balance.gradient(x).dot(step);
  for (int k = 0; k < most_halvings; ++k, length /= 2) {
    if (balance.gradient(x + length * step).dot(step) <= -first / 2) break;
  }
  return length;
}

}  // namespace

FairAllocation allocate_fairly(const UnitGramian& unit, double alpha) {
  const Balance balance{unit.cosines, unit.lengths.array().pow(1 / alpha - 1), 1 / alpha};
  Eigen::VectorXd x = balance.factors.pow(1 / (1 + 1 / alpha));  // exact for orthogonal gradients
  FairAllocation best{x, balance.residual(x), 0};
  int stalled = 0;
  for (int k = 1; k <= most_iterations && stalled < 3 && x.allFinite(); ++k) {
    const Eigen::VectorXd step = balance.newton_step(x);
    x += damping(balance, x, step) * step;
    const double residual = balance.residual(x);
    best.iterations = k;
    stalled = best.residual <= 1e-6 && !(residual < best.residual / 2) ? stalled + 1 : 0;
    if (!(residual < best.residual)) continue;
    best.residual = residual;
    best.weights = x;
  }
  if (!std::isfinite(best.residual)) best.residual = std::numeric_limits<double>::infinity();
  best.weights = best.weights.cwiseQuotient(unit.lengths);
  return best;
}

}  // namespace moblo::aggregation
