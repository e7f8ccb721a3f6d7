#include "moblo/qp/forum_dual.hpp"

#include <algorithm>

#include "moblo/qp/attempts.hpp"

namespace moblo::qp {

const Solution& ForumSolver::solve(const ForumDual& problem) {
  const Eigen::Index m = std::max<Eigen::Index>(problem.gramian.rows() - 1, 0);
  solution_.kkt_residual = std::numeric_limits<double>::infinity();
  solution_.iterations = 0;
  if (!is_valid(problem)) return make_unusable(solution_, m, QpStatus::bad_input);
  if (!has_lost_rows(problem.gramian)) return solve_counted(problem);
  const Eigen::MatrixXd counted = without_lost_rows(problem.gramian);
  return solve_counted({counted, problem.phi, problem.multiplier, problem.floor});
}

const Solution& ForumSolver::solve_counted(const ForumDual& problem) {
  const Eigen::Index m = problem.gramian.rows() - 1;
  solution_.weights.resize(m);
  scratch_.resize(m);

  const auto attempt_rung = [&](Attempt rung) {
    if (rung == Attempt::active_set) {
      attempt(pieces_, problem, false);
    } else {
      attempt(extended_, problem, rung == Attempt::proximal);
    }
  };
  const auto certify = [&] {
    const ForumAnswer answer{solution_.weights, solution_.multiplier, solution_.bound_multiplier};
    solution_.objective = objective(problem);
    return kkt_residual(problem, answer, scratch_);
  };
  return climb_attempts(options_, solution_, warm_start_, attempt_rung, certify);
}

template <class Scalar>
void ForumSolver::attempt(ForumPieces<Scalar>& pieces, const ForumDual& problem, bool proximally) {
  const int m = static_cast<int>(problem.gramian.rows()) - 1;
  if (pieces.objectives() != m) pieces.reserve(m);
  pieces.load(problem);
  warm_start_.free_set.reserve(static_cast<std::size_t>(m));
  solution_.iterations += pieces.minimise(warm_start_, proximally);
  solution_.weights = pieces.weights().template cast<double>();
  solution_.multiplier = pieces.multiplier();
  solution_.bound_multiplier = pieces.bound_multiplier();
}

double ForumSolver::objective(const ForumDual& problem) const {
  const Eigen::Index m = solution_.weights.size();
  const double gamma = solution_.multiplier;
  // gamma may be huge where |q| is tiny: gamma |q| first, never gamma^2.
  const double length = row_length(problem.gramian, m);
  const double scaled_gamma = gamma * length;
  const double cross = gamma * problem.gramian.col(m).head(m).dot(solution_.weights);
  return half_square(problem.gramian, solution_.weights) + cross + 0.5 * scaled_gamma * scaled_gamma -
         gamma * problem.phi;
}

}  // namespace moblo::qp
