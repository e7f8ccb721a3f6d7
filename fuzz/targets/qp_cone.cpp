#include "fuzz/gramians.hpp"
#include "moblo/qp/nn_qp.hpp"

namespace moblo::fuzz {
namespace {

Real cone_violation(const Eigen::MatrixXd& gramian, const Eigen::VectorXd& start, const Eigen::VectorXd& weights) {
  const RealVector v = weights.cast<Real>(), u = start.cast<Real>(), lengths = row_lengths(gramian, v.size());
  const Real unit = (v.cwiseAbs() + u.cwiseAbs()).dot(lengths);
  Violations violations;
  if (counts_as_zero(unit)) return 0;
  const RealVector products = counted_gramian(gramian) * v;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (lengths(i) == 0) {
      violations.add(v(i) == u(i) ? 0 : 1);
      continue;
    }
    violations.add((u(i) - v(i)) * lengths(i) / unit);
    violations.add(-products(i) / (lengths(i) * unit));
    violations.add((v(i) - u(i)) * std::abs(products(i)) / (unit * unit));
  }
  return violations.worst();
}

}  // namespace
}  // namespace moblo::fuzz

// The nearest direction that hurts none: min over v >= u of v'Gv.
MOBLO_FUZZ_TARGET(qp_cone) {
  using namespace moblo;
  fuzz::Taker taker(input);
  const qp::Options options;
  qp::NnQpSolver solver(options);
  for (int solve = 0; solve < 2 && !taker.empty(); ++solve) {
    fuzz::WildNumbers numbers(taker);
    const Eigen::MatrixXd gramian = fuzz::wild_gramian(taker, 1 + taker.up_to(7));
    const Eigen::VectorXd start = numbers.vector(gramian.rows());
    const qp::Solution& solution = solver.solve(gramian, start);
    fuzz::must(solution.weights.size() == gramian.rows(), "one weight per row");
    if (!solution.certified()) {
      fuzz::must(solution.weights.array().isNaN().all(), "an answer without certificate cannot be used");
      continue;
    }
    fuzz::must(gramian.allFinite() && start.allFinite(), "what is not finite is not solved");
    fuzz::must(fuzz::cone_violation(gramian, start, solution.weights) <= 2 * options.tolerance,
               "the certificate is true");
  }
}
