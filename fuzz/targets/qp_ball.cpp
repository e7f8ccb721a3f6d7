#include "fuzz/gramians.hpp"
#include "moblo/qp/max_min_ball.hpp"

namespace moblo::fuzz {
namespace {

/// |shortest of the hull|^2 in units of its rows, from the solver that qp_min_norm checks.
Real origin_distance(const Eigen::MatrixXd& gramian) {
  qp::MinNormSolver solver;
  const qp::Solution& shortest = solver.solve(gramian);
  const RealVector w = shortest.weights.cast<Real>();
  const Real unit = w.cwiseAbs().dot(row_lengths(gramian, w.size()));
  return counts_as_zero(unit) ? 0 : std::abs(w.dot(counted_gramian(gramian) * w)) / (unit * unit);
}

Real ball_violation(const qp::MaxMinBall& problem, const Eigen::MatrixXd& gramian, const qp::BallAnswer& answer) {
  const RealVector w = answer.weights.cast<Real>(), centre = problem.centre.cast<Real>();
  const auto matrix = counted_gramian(gramian);
  const RealVector lengths = row_lengths(gramian, w.size());
  const Real s = answer.scale, radius = problem.radius, reach = centre.cwiseAbs().dot(lengths);
  if (s == 0) return radius <= 1e-6L * reach || reach == 0 ? 0 : 1;  // a ball that is a point
  Violations violations;
  violations.add_simplex(w);
  const Real unit = w.cwiseAbs().dot(lengths) + s * std::sqrt(std::max<Real>(centre.dot(matrix * centre), 0));
  if (counts_as_zero(unit)) return violations.worst();
  const RealVector gradient = matrix * (w + s * centre);
  violations.add_stationarity(w, gradient, lengths, unit);
  const Real beyond = w.dot(matrix * w) - radius * radius * s * s, off_sphere = std::abs(beyond) / (unit * unit);
  const Real off_cone = std::max(std::abs(w.dot(gradient)) / (unit * unit), origin_distance(gramian));
  violations.add(beyond < 0 ? std::min(off_sphere, off_cone) : off_sphere);
  return violations.worst();
}

}  // namespace
}  // namespace moblo::fuzz

// The best worst case in a ball around a sum of the rows.
MOBLO_FUZZ_TARGET(qp_ball) {
  using namespace moblo;
  fuzz::Taker taker(input);
  qp::MaxMinBallSolver solver;
  for (int solve = 0; solve < 2 && !taker.empty(); ++solve) {
    const bool usual = taker.up_to(1) == 1;
    fuzz::WildNumbers numbers(taker);
    const Eigen::MatrixXd gramian = fuzz::wild_gramian(taker, 1 + taker.up_to(5));
    const Eigen::Index m = gramian.rows();
    const Eigen::VectorXd centre =
        usual ? Eigen::VectorXd::Constant(m, 1.0 / static_cast<double>(m)) : numbers.vector(m);
    const qp::MaxMinBall problem{gramian, centre, numbers.next()};
    const qp::BallAnswer& answer = solver.solve(problem);
    if (!answer.certified()) {
      fuzz::must(answer.coefficients.array().isNaN().all(), "an answer without certificate cannot be used");
      continue;
    }
    fuzz::must(gramian.allFinite() && centre.allFinite(), "what is not finite is not solved");
    fuzz::must(answer.coefficients.allFinite(), "coefficients are finite");
    fuzz::must(fuzz::ball_violation(problem, gramian, answer) <= 1e-11L, "the certificate is true");
  }
}
