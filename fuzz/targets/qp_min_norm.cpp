#include "fuzz/gramians.hpp"
#include "moblo/qp/min_norm.hpp"

// min |sum_i w_i g_i|, several times with the same solver: it starts from the last answer.
MOBLO_FUZZ_TARGET(qp_min_norm) {
  using namespace moblo;
  fuzz::Taker taker(input);
  qp::Options options;
  options.first_attempt = static_cast<qp::Attempt>(taker.up_to(5) % 3);
  qp::MinNormSolver solver(options);
  for (int solve = 0; solve < 3 && !taker.empty(); ++solve) {
    const Eigen::MatrixXd gramian = fuzz::wild_gramian(taker, 1 + taker.up_to(7));
    const qp::Solution& solution = solver.solve(gramian);
    fuzz::must(solution.weights.size() == gramian.rows(), "one weight per row");
    if (!solution.certified()) {
      fuzz::must(solution.weights.array().isNaN().all(), "an answer without certificate cannot be used");
      continue;
    }
    fuzz::must(gramian.allFinite(), "what is not finite is not solved");
    fuzz::must(fuzz::min_norm_violation(gramian, solution.weights) <= 2 * options.tolerance, "the certificate is true");
  }
}
