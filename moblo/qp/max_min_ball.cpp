#include "moblo/qp/max_min_ball.hpp"

#include <algorithm>
#include <cmath>

#include "moblo/qp/residual.hpp"
#include "moblo/qp/unit.hpp"

namespace moblo::qp {
namespace {

constexpr double tolerance = 1e-12;
constexpr double origin_tolerance = 1e-14;  // a square: shorter than 1e-7 of the rows is rounding of the Gramian
constexpr double ball_rounding = 16 * std::numeric_limits<double>::epsilon();  // a square, of the centre's terms
constexpr int most_steps = 200;
constexpr int ordinary_ball = 200;  // s within 2^-ordinary and 2^ordinary: radius^2 and s^2 have all their digits
const double shortest_length = std::sqrt(std::numeric_limits<double>::min());  // of a row that does not count as zero

/// The step t to A t^2 + 2 B t + C = 0 that stays strictly between the two ends, or none: 0.
template <class Scalar>
Scalar step_to_root(Scalar a, Scalar b, Scalar c, Scalar low, Scalar high) {
  const Scalar discriminant = b * b - a * c;
  if (discriminant < 0) return 0;
  const Scalar q = -(b + std::copysign(std::sqrt(discriminant), b));
  for (const Scalar t : {c / q, q / a}) {
    if (std::isfinite(t) && t > low && t < high) return t;
  }
  return 0;
}

double square_of(const Eigen::Ref<const Eigen::MatrixXd>& gramian, const Eigen::VectorXd& weights) {
  return std::max(2 * half_square(gramian, weights), 0.0);
}

double weighted_length(const Eigen::Ref<const Eigen::MatrixXd>& gramian, const Eigen::VectorXd& weights) {
  double total = 0;
  for (Eigen::Index i = 0; i < weights.size(); ++i) total += std::abs(weights(i)) * row_length(gramian, i);
  return total;
}

/// Rows that count as zero have products beside longer ones, which say nothing of their part in g_0. It must be lost in
/// the ball, or the Gramian does not say where the ball is.
bool centre_is_known(const MaxMinBall& problem) {
  double unknown = 0;
  for (Eigen::Index i = 0; i < problem.centre.size(); ++i) {
    const bool zero = problem.gramian.col(i).isZero(0);
    if (!zero && row_length(problem.gramian, i) == 0) unknown += std::abs(problem.centre(i)) * shortest_length;
  }
  return unknown <= std::numeric_limits<double>::epsilon() * problem.radius;
}

/// An exponent k with which radius 2^k is about the longest row; 0 where the radius is ordinary beside it.
int ball_exponent(const MaxMinBall& problem) {
  const double longest = std::sqrt(problem.gramian.diagonal().maxCoeff());
  if (longest == 0) return 0;
  const int exponent = std::ilogb(longest) - std::ilogb(problem.radius);
  return std::abs(exponent) <= ordinary_ball ? 0 : exponent;
}

}  // namespace

const BallAnswer& MaxMinBallSolver::solve(const MaxMinBall& problem) {
  const Eigen::Index m = problem.gramian.rows();
  answer_ = {};
  answer_.coefficients.setConstant(m, std::numeric_limits<double>::quiet_NaN());
  const bool valid = looks_like_gramian(problem.gramian, 1) && problem.centre.size() == m && problem.radius >= 0 &&
                     std::isfinite(problem.radius);
  const double reach = valid ? weighted_length(problem.gramian, problem.centre) : 0;
  if (!valid || !problem.centre.allFinite() || !std::isfinite(reach)) return answer_;
  if (problem.radius <= std::sqrt(ball_rounding) * reach) {  // not the squares: they may underflow
    answer_.weights = answer_.coefficients = problem.centre;
    answer_.status = QpStatus::solved;
    answer_.kkt_residual = 0;
    return answer_;
  }
  if (!centre_is_known(problem)) return answer_;
  const int rows = unit_exponent(problem.gramian), ball = ball_exponent(problem);
  if (rows == 0 && ball == 0 && !has_lost_rows(problem.gramian)) return solve_ordinary(problem);
  return solve_in_units(problem, rows, ball);
}

/// In G 4^-rows, with the centre and the radius 2^ball times larger beside the rows.
const BallAnswer& MaxMinBallSolver::solve_in_units(const MaxMinBall& problem, int rows, int ball) {
  const Eigen::MatrixXd gramian = std::ldexp(1.0, -2 * rows) * without_lost_rows(problem.gramian);
  Eigen::VectorXd centre = problem.centre;
  for (double& share : centre) share = std::ldexp(share, ball);
  solve_ordinary({gramian, centre, std::ldexp(problem.radius, ball - rows)});
  if (!answer_.certified()) return answer_;
  answer_.scale = std::ldexp(answer_.scale, ball);
  for (double& coefficient : answer_.coefficients) coefficient = std::ldexp(coefficient, -ball);
  if (std::isnormal(answer_.scale) && answer_.coefficients.allFinite()) return answer_;
  answer_.status = QpStatus::not_certified;
  answer_.coefficients.setConstant(std::numeric_limits<double>::quiet_NaN());
  return answer_;
}

const BallAnswer& MaxMinBallSolver::solve_ordinary(const MaxMinBall& problem) {
  shortest_.forget();
  const Solution& shortest = shortest_.solve(problem.gramian);
  answer_.status = QpStatus::not_certified;
  if (!shortest.certified()) return answer_;
  const double length = weighted_length(problem.gramian, shortest.weights);
  answer_.origin = length > 0 ? 2 * shortest.objective / (length * length) : 0;
  if (answer_.origin < -tolerance) return answer_;  // a square below zero: not a Gramian

  for (const QpStatus status : {QpStatus::solved, QpStatus::refined}) {
    const bool found = status == QpStatus::solved ? search(simplex_, problem) : search(extended_, problem);
    answer_.kkt_residual = kkt_residual(problem, answer_);
    if (!found || !(answer_.kkt_residual <= tolerance)) continue;
    const Eigen::VectorXd coefficients = problem.centre + answer_.weights / answer_.scale;
    if (!coefficients.allFinite()) break;  // d is in range, its coefficients are not: the rows are too short
    answer_.coefficients = coefficients;
    answer_.status = status;
    return answer_;
  }
  return answer_;
}

template <class Scalar>
bool MaxMinBallSolver::search(SimplexQp<Scalar>& simplex, const MaxMinBall& problem) {
  using Vector = typename SimplexQp<Scalar>::Vector;
  const auto m = static_cast<int>(problem.gramian.rows());
  if (simplex.size() != m) simplex.reserve(m);
  simplex.hessian = problem.gramian.cast<Scalar>();
  for (int i = 0; i < m; ++i) simplex.lengths[i] = static_cast<Scalar>(row_length(problem.gramian, i));
  const auto centre = problem.centre.template cast<Scalar>().eval();
  const Vector slope = simplex.hessian * centre;
  const Scalar centre_length = std::sqrt(std::max(centre.dot(slope), Scalar{0}));
  const auto radius = static_cast<Scalar>(problem.radius);
  const Scalar rounding = 16 * std::numeric_limits<Scalar>::epsilon();
  const bool origin_in_hull = answer_.origin <= origin_tolerance;

  Scalar low = 0, high = simplex.lengths.maxCoeff() / radius;  // |g_w| <= the longest row
  Scalar s = std::min(high, centre_length > 0 ? centre_length / radius : high);
  std::vector<int> face;
  Vector rate(m);
  for (int step = 0; step < most_steps; ++step) {
    simplex.linear = s * slope;
    simplex.linear_length = s * centre_length;
    simplex.minimise(face);
    const Vector& w = simplex.weights();
    const Vector product = simplex.hessian * w;
    const Scalar square = w.dot(product), beyond = square - radius * radius * s * s;
    const Scalar unit = simplex.magnitude() * simplex.magnitude();
    answer_.weights = w.template cast<double>();
    answer_.scale = static_cast<double>(s);
    if (std::abs(beyond) <= rounding * unit) return true;
    if (origin_in_hull && beyond < 0 && std::abs(w.dot(product + simplex.linear)) <= rounding * unit) return true;
    (beyond < 0 ? high : low) = s;

    simplex.response(slope, rate);
    const Scalar moved = step_to_root<Scalar>(rate.dot(simplex.hessian * rate) - radius * radius,
                                              rate.dot(product) - radius * radius * s, beyond, low - s, high - s);
    const Scalar nearer = std::sqrt(std::max(square, Scalar{0})) / radius;  // between s and the root
    if (moved != 0) {
      s += moved;
    } else if (step % 2 == 0 && nearer > low && nearer < high) {
      s = nearer;
    } else {
      s = (low + high) / 2;
    }
    if (!(s > low && s < high)) return true;  // the bracket has closed: the certificate decides
  }
  return false;
}

double kkt_residual(const MaxMinBall& problem, const BallAnswer& answer) {
  const Eigen::VectorXd& w = answer.weights;
  const double s = answer.scale;
  const double magnitude =
      weighted_length(problem.gramian, w) + s * std::sqrt(square_of(problem.gramian, problem.centre));
  const double unit = magnitude * magnitude;
  double residual = std::max(std::abs(w.sum() - 1), -w.minCoeff());
  if (unit == 0) return residual;
  const double longest = std::sqrt(problem.gramian.diagonal().maxCoeff());
  // It would divide every violation to zero, or is no number: s overflows where the radius is all but zero.
  if (!std::isfinite((longest + magnitude) * magnitude)) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd gradient = problem.gramian * (w + s * problem.centre);
  const double average = w.dot(gradient);
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    const double reduced = gradient(i) - average;
    residual = std::max(residual, -reduced / ((row_length(problem.gramian, i) + magnitude) * magnitude));
    residual = std::max(residual, std::abs(w(i) * reduced) / unit);
  }
  const double beyond = square_of(problem.gramian, w) - problem.radius * problem.radius * s * s;
  const double off_sphere = std::abs(beyond) / unit;
  const double off_cone = std::max(std::abs(average) / unit, answer.origin);
  residual = std::max(residual, beyond < 0 ? std::min(off_sphere, off_cone) : off_sphere);
  return std::isnan(residual) ? std::numeric_limits<double>::infinity() : residual;
}

}  // namespace moblo::qp
