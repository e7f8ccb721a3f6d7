#include "moblo/qp/forum_dual.hpp"

#include <algorithm>

#include "moblo/qp/attempts.hpp"

namespace moblo::qp {

const Solution& ForumSolver::solve(const ForumDual& problem) {
  const Eigen::Index m = std::max<Eigen::Index>(problem.objectives(), 0);
  solution_.limit_multipliers.setConstant(problem.limits(), std::numeric_limits<double>::quiet_NaN());
  solution_.kkt_residual = std::numeric_limits<double>::infinity();
  solution_.iterations = 0;
  if (!is_valid(problem)) return make_unusable(solution_, m, QpStatus::bad_input);
  if (!has_lost_rows(problem.gramian)) return solve_counted(problem);
  const Eigen::MatrixXd counted = without_lost_rows(problem.gramian);
  return solve_counted(
      {counted, problem.phi, problem.multiplier, problem.floor, problem.merits, problem.allowed, problem.limit_bound});
}

const Solution& ForumSolver::solve_counted(const ForumDual& problem) {
  solution_.weights.resize(problem.objectives());
  scratch_.resize(problem.objectives() + problem.limits());

  const auto attempt_rung = [&](Attempt rung) {
    if (rung == Attempt::active_set) {
      attempt(pieces_, problem, false);
    } else {
      attempt(extended_, problem, rung == Attempt::proximal);
    }
  };
  const auto certify = [&] {
    const ForumAnswer answer{solution_.weights, solution_.multiplier, solution_.bound_multiplier,
                             solution_.limit_multipliers};
    solution_.objective = objective(problem);
    return kkt_residual(problem, answer, scratch_);
  };
  climb_attempts(options_, solution_, warm_start_, attempt_rung, certify);
  if (!solution_.certified()) solution_.limit_multipliers.setConstant(std::numeric_limits<double>::quiet_NaN());
  return solution_;
}

template <class Scalar>
void ForumSolver::attempt(ForumPieces<Scalar>& pieces, const ForumDual& problem, bool proximally) {
  const int m = static_cast<int>(problem.objectives()), limits = static_cast<int>(problem.limits());
  if (pieces.objectives() != m || pieces.limits() != limits) pieces.reserve(m, limits);
  pieces.load(problem);
  warm_start_.free_set.reserve(static_cast<std::size_t>(m + limits + 1));
  solution_.iterations += pieces.minimise(warm_start_, proximally);
  solution_.weights = pieces.weights().template cast<double>();
  solution_.limit_multipliers = pieces.limit_multipliers().template cast<double>();
  solution_.multiplier = pieces.multiplier();
  solution_.bound_multiplier = pieces.bound_multiplier();
}

double ForumSolver::objective(const ForumDual& problem) {
  const Eigen::Index m = problem.objectives(), last = m + problem.limits();
  Eigen::VectorXd& all = scratch_;
  all << solution_.weights, solution_.limit_multipliers;
  const double gamma = solution_.multiplier;
  // gamma may be huge where |q| is tiny: gamma |q| first, never gamma^2.
  const double length = row_length(problem.gramian, last);
  const double scaled_gamma = gamma * length;
  const double cross = gamma * problem.gramian.col(last).head(last).dot(all);
  const double linear = problem.allowed.dot(all.tail(last - m)) - problem.merits.dot(all.head(problem.merits.size()));
  return half_square(problem.gramian, all) + cross + 0.5 * scaled_gamma * scaled_gamma - gamma * problem.phi + linear;
}

}  // namespace moblo::qp
