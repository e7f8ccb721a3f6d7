#include "fuzz/gramians.hpp"
#include "moblo/qp/forum_dual.hpp"

namespace moblo::fuzz {
namespace {

/// The KKT conditions of FORUM's dual; moblo/qp/residual.hpp has the formulas.
Real forum_violation(const qp::ForumDual& problem, const Eigen::MatrixXd& gramian, const qp::Solution& solution) {
  const Eigen::Index m = solution.weights.size();
  const Real q = row_lengths(gramian, m + 1)(m);
  if (q == 0) {
    const bool plain = solution.multiplier == 0;
    return plain ? min_norm_violation(gramian, solution.weights) : std::numeric_limits<Real>::infinity();
  }
  const RealVector w = solution.weights.cast<Real>(), lengths = row_lengths(gramian, m);
  const auto counted = counted_gramian(gramian);
  const RealVector b = counted.col(m).head(m);
  const Real s = q * q, phi = problem.phi, gamma = solution.multiplier;
  const bool paper = problem.multiplier == qp::Multiplier::paper;
  const Real bound = paper ? static_cast<Real>(solution.bound_multiplier) : 0, shifted = s + Real(problem.floor);
  const Real unit = w.cwiseAbs().dot(lengths) + std::abs(gamma) * q + phi / q;
  Violations violations;
  violations.add_simplex(w);
  if (counts_as_zero(unit)) return violations.worst();
  const Real slope = w.dot(b) + s * gamma - phi, sign = slope - bound;
  violations.add(-gamma * q / unit);
  violations.add(-sign / (q * unit));
  violations.add(std::abs(sign * gamma) / (unit * unit));
  if (paper) {
    const Real slack = gamma - (2 * phi * w.sum() - w.dot(b)) / shifted;
    violations.add(-slack * q / unit);
    violations.add(-bound / (q * unit));
    violations.add(std::abs(bound * slack) / (unit * unit));
  }
  const RealVector gradient = counted.topLeftCorner(m, m) * w + (gamma - bound / shifted) * b;
  violations.add_stationarity(w, gradient, lengths, unit);
  return violations.worst();
}

}  // namespace
}  // namespace moblo::fuzz

// FORUM's dual in both forms.
MOBLO_FUZZ_TARGET(qp_forum) {
  using namespace moblo;
  fuzz::Taker taker(input);
  qp::Options options;
  options.first_attempt = static_cast<qp::Attempt>(taker.up_to(5) % 3);
  qp::ForumSolver solver(options);
  for (int solve = 0; solve < 3 && !taker.empty(); ++solve) {
    const int kind = taker.up_to(7);
    fuzz::WildNumbers numbers(taker);
    const Eigen::MatrixXd gramian = fuzz::wild_gramian(taker, 2 + taker.up_to(5));
    const double square = gramian(gramian.rows() - 1, gramian.rows() - 1);
    const qp::ForumDual problem{gramian, kind & 1 ? square / 4 : numbers.next(),
                                kind & 2 ? qp::Multiplier::exact : qp::Multiplier::paper,
                                kind & 4 ? 1e-8 : numbers.next()};
    const qp::Solution& solution = solver.solve(problem);
    fuzz::must(solution.weights.size() == gramian.rows() - 1, "one weight per objective");
    if (!solution.certified()) {
      fuzz::must(solution.weights.array().isNaN().all(), "an answer without certificate cannot be used");
      continue;
    }
    fuzz::must(gramian.allFinite(), "what is not finite is not solved");
    fuzz::must(fuzz::forum_violation(problem, gramian, solution) <= 2 * options.tolerance, "the certificate is true");
  }
}
