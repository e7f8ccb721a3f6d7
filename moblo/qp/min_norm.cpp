#include "moblo/qp/min_norm.hpp"

#include <algorithm>
#include <cmath>

#include "moblo/qp/attempts.hpp"
#include "moblo/qp/unit.hpp"
#include "moblo/qp/violation.hpp"

namespace moblo::qp {

using ConstMatrix = Eigen::Ref<const Eigen::MatrixXd>;

const Solution& MinNormSolver::solve(const ConstMatrix& gramian) {
  const int size = static_cast<int>(gramian.rows());
  solution_.kkt_residual = std::numeric_limits<double>::infinity();
  solution_.iterations = 0;
  if (!looks_like_gramian(gramian, 1)) return make_unusable(solution_, size, QpStatus::bad_input);
  const int exponent = unit_exponent(gramian);
  const bool lost = has_lost_rows(gramian);
  if (exponent == 0 && !lost) return solve_ordinary(gramian);
  scaled_ = lost ? without_lost_rows(gramian) : Eigen::MatrixXd(gramian);
  scaled_ *= std::ldexp(1.0, -2 * exponent);
  solve_ordinary(scaled_);
  if (solution_.certified()) sweep();
  solution_.objective = std::ldexp(solution_.objective, 2 * exponent);
  return solution_;
}

/// Where all the weight is on zero rows the rest is rounding. In other units it might not vanish beside nothing.
void MinNormSolver::sweep() {
  double magnitude = 0, on_zeros = 0;
  for (Eigen::Index i = 0; i < scaled_.rows(); ++i) {
    const double length = row_length(scaled_, i);
    magnitude += solution_.weights[i] * length;
    if (length == 0) on_zeros += solution_.weights[i];
  }
  if (!vanishes(magnitude) || on_zeros == 0) return;
  for (Eigen::Index i = 0; i < scaled_.rows(); ++i) {
    solution_.weights[i] = row_length(scaled_, i) == 0 ? solution_.weights[i] / on_zeros : 0;
  }
  solution_.objective = 0;
}

const Solution& MinNormSolver::solve_ordinary(const ConstMatrix& gramian) {
  const int size = static_cast<int>(gramian.rows());
  solution_.weights.resize(size);
  scratch_.resize(size);
  solution_.multiplier = 0;
  solution_.bound_multiplier = 0;

  const auto attempt_rung = [&](Attempt rung) {
    if (rung == Attempt::active_set) {
      size == 2 ? minimise_pair(gramian) : attempt(simplex_, gramian, false);
    } else {
      attempt(extended_, gramian, rung == Attempt::proximal);
    }
  };
  const auto certify = [&] {
    solution_.objective = half_square(gramian, solution_.weights);
    return kkt_residual(gramian, solution_.weights, scratch_);
  };
  return climb_attempts(options_, solution_, warm_start_, attempt_rung, certify);
}

template <class Scalar>
void MinNormSolver::attempt(SimplexQp<Scalar>& simplex, const ConstMatrix& gramian, bool proximally) {
  const int size = static_cast<int>(gramian.rows());
  if (simplex.size() != size) simplex.reserve(size);
  simplex.hessian = gramian.cast<Scalar>();
  simplex.linear.setZero();
  for (int i = 0; i < size; ++i) simplex.lengths[i] = static_cast<Scalar>(row_length(gramian, i));
  std::vector<int>& free_set = warm_start_.free_set;
  free_set.reserve(static_cast<std::size_t>(size));
  solution_.iterations += proximally ? simplex.minimise_proximally(free_set) : simplex.minimise(free_set);
  solution_.weights = simplex.weights().template cast<double>();
}

/// lambda_long = <g_short, g_short - g_long> / |g_short - g_long|^2, clamped; the short row keeps the rest, so that
/// neither weight is a difference of nearly equal numbers.
void MinNormSolver::minimise_pair(const ConstMatrix& gramian) {
  const int shorter = gramian(1, 1) < gramian(0, 0) ? 1 : 0;
  const int longer = 1 - shorter;
  const double overlap = gramian(shorter, longer);
  const double gain = gramian(shorter, shorter) - overlap;
  const double curvature = (gramian(longer, longer) - overlap) + gain;
  const double weight = gain > 0 && curvature > 0 ? std::min(gain / curvature, 1.0) : 0.0;
  solution_.weights[longer] = weight;
  solution_.weights[shorter] = 1 - weight;
  solution_.iterations += 1;
}

}  // namespace moblo::qp
