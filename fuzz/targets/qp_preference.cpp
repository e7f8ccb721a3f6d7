#include "fuzz/gramians.hpp"
#include "moblo/qp/forum_dual.hpp"

namespace moblo::fuzz {
namespace {

/// One simplex with linear terms: weights, gradient, lengths, sizes of the linear terms, in units of D.
void add_simplex_with_terms(Violations& violations, const RealVector& w, const RealVector& gradient,
                            const RealVector& lengths, const RealVector& sizes, Real unit) {
  violations.add_simplex(w);
  const Real average = w.dot(gradient), average_size = w.cwiseAbs().dot(sizes);
  if (counts_as_zero(unit) && average_size == 0) return;
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    violations.add((average - gradient(i)) / ((lengths(i) + unit) * unit + sizes(i) + average_size));
    violations.add(std::abs(w(i) * (gradient(i) - average)) / (unit * unit + average_size));
  }
}

/// The KKT conditions of the dual with merits and limits; moblo/qp/residual.hpp has the formulas.
Real preference_violation(const qp::ForumDual& problem, const Eigen::MatrixXd& gramian, const qp::Solution& solution) {
  const Eigen::Index m = problem.objectives(), limits = problem.limits(), rows = m + limits;
  const RealVector all_lengths = row_lengths(gramian, rows + 1);
  const Real q = all_lengths(rows), s = q * q, gamma = solution.multiplier, phi = q > 0 ? problem.phi / q : 0;
  if (q == 0 && gamma != 0) return std::numeric_limits<Real>::infinity();
  RealVector x(rows);
  x << solution.weights.cast<Real>(), solution.limit_multipliers.cast<Real>();
  const auto counted = counted_gramian(gramian);
  const RealVector b = counted.col(rows).head(rows), lengths = all_lengths.head(rows);
  const Real unit = x.cwiseAbs().dot(lengths) + std::abs(gamma) * q + phi;
  const bool paper = problem.multiplier == qp::Multiplier::paper;
  const Real bound = paper && q > 0 ? static_cast<Real>(solution.bound_multiplier) : 0;
  const Real shifted = s + Real(problem.floor);
  Violations violations;
  if (q > 0 && !counts_as_zero(unit)) {
    const Real sign = x.dot(b) + s * gamma - phi * q - bound;
    violations.add(-gamma * q / unit);
    violations.add(-sign / (q * unit));
    violations.add(std::abs(sign * gamma) / (unit * unit));
    if (paper) {
      const Real slack = gamma - (2 * phi * q - x.dot(b)) / shifted;
      violations.add(-slack * q / unit);
      violations.add(-bound / (q * unit));
      violations.add(std::abs(bound * slack) / (unit * unit));
    }
  }
  RealVector gradient = counted.topLeftCorner(rows, rows) * x;
  if (q > 0) gradient += (gamma - (paper ? bound / shifted : 0)) * b;
  const RealVector merits = problem.merits.cast<Real>(), allowed = problem.allowed.cast<Real>();
  RealVector sizes = RealVector::Zero(m);
  if (merits.size() > 0) gradient.head(m) -= merits, sizes = merits.cwiseAbs();
  add_simplex_with_terms(violations, x.head(m), gradient.head(m), lengths.head(m), sizes, unit);
  if (limits == 0) return violations.worst();

  // kappa_j |a_j| / C and what is left of 1, on the rows a_j C / |a_j| and 0.
  RealVector share = RealVector::Zero(limits + 1), slope = share, row = share, size = share;
  for (Eigen::Index j = 0; j < limits; ++j) {
    const Real length = lengths(m + j), most = problem.limit_bound;
    if (length == 0 || most == 0) {
      violations.add(x(m + j) == 0 ? 0 : std::numeric_limits<Real>::infinity());
      continue;
    }
    share(j) = x(m + j) * length / most;
    slope(j) = (gradient(m + j) + allowed(j)) * most / length;
    row(j) = most;
    size(j) = std::abs(allowed(j)) * most / length;
  }
  share(limits) = 1 - share.sum();
  add_simplex_with_terms(violations, share, slope, row, size, unit);
  return violations.worst();
}

}  // namespace
}  // namespace moblo::fuzz

// FORUM's dual with merits and limits.
MOBLO_FUZZ_TARGET(qp_preference) {
  using namespace moblo;
  fuzz::Taker taker(input);
  qp::Options options;
  options.first_attempt = static_cast<qp::Attempt>(taker.up_to(5) % 3);
  qp::ForumSolver solver(options);
  for (int solve = 0; solve < 3 && !taker.empty(); ++solve) {
    const int kind = taker.up_to(15), limits = taker.up_to(3), objectives = 1 + taker.up_to(3);
    fuzz::WildNumbers numbers(taker);
    const Eigen::MatrixXd gramian = fuzz::wild_gramian(taker, objectives + limits + 1);
    const double square = gramian(gramian.rows() - 1, gramian.rows() - 1);
    const Eigen::VectorXd merits = numbers.vector(kind & 8 ? objectives : 0), allowed = numbers.vector(limits);
    const qp::ForumDual problem{gramian,
                                kind & 1 ? square / 4 : numbers.next(),
                                kind & 2 ? qp::Multiplier::exact : qp::Multiplier::paper,
                                kind & 4 ? 1e-8 : numbers.next(),
                                merits,
                                allowed,
                                numbers.next()};
    const qp::Solution& solution = solver.solve(problem);
    fuzz::must(solution.weights.size() == objectives, "one weight per objective");
    fuzz::must(solution.limit_multipliers.size() == limits, "one multiplier per limit");
    if (!solution.certified()) {
      fuzz::must(solution.weights.array().isNaN().all(), "an answer without certificate cannot be used");
      fuzz::must(solution.limit_multipliers.array().isNaN().all(), "nor can its multipliers");
      continue;
    }
    fuzz::must(gramian.allFinite() && merits.allFinite() && allowed.allFinite(), "what is not finite is not solved");
    fuzz::must(fuzz::preference_violation(problem, gramian, solution) <= 2 * options.tolerance,
               "the certificate is true");
  }
}
