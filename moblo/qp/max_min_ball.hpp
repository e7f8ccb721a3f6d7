#pragma once

#include "moblo/qp/min_norm.hpp"
#include "moblo/qp/simplex_qp.hpp"
#include "moblo/qp/solution.hpp"

namespace moblo::qp {

/// max over |d - g_0| <= radius of min_i <g_i, d>, with g_0 = sum_i centre_i g_i. Dual: min over w in the simplex of
/// <g_w, g_0> + radius |g_w|, g_w = sum_i w_i g_i.
struct MaxMinBall {
  Eigen::Ref<const Eigen::MatrixXd> gramian;  ///< must outlive the problem
  Eigen::Ref<const Eigen::VectorXd> centre;
  double radius = 0;  ///< >= 0
};

struct BallAnswer {
  Eigen::VectorXd weights;       ///< w
  double scale = 0;              ///< s = |g_w| / radius; 0 where the radius is within rounding of 0: then d = g_0
  Eigen::VectorXd coefficients;  ///< of the rows in d: centre + w / s; NaN unless certified
  double origin = 0;             ///< |shortest of the hull|^2, relative: 0 where no d helps all
  QpStatus status = QpStatus::bad_input;
  double kkt_residual = std::numeric_limits<double>::infinity();

  bool certified() const { return status == QpStatus::solved || status == QpStatus::refined; }
};

/// The KKT rows of the dual, times s, are those of w(s) = argmin over the simplex of 1/2 w'Gw + s <g_w, g_0>; s is
/// where |g_w(s)| = radius s. On a face g_w(s) is affine, so that s solves a quadratic there: Newton's method over the
/// faces, within a bracket, for |g_w(s)| never falls.
///
/// Where the hull holds the origin that may be at s = 0 alone: then no d in the ball helps all rows, g_w(s) / s is
/// constant for small s, and d = g_0 + g_w(s)/s is the point nearest to g_0 that hurts none.
///
/// Rows whose squares underflow count as zero. Where the centre makes one of them longer than rounding beside the
/// radius the input is bad: its length is not in the Gramian.
class MaxMinBallSolver {
 public:
  const BallAnswer& solve(const MaxMinBall& problem);

 private:
  const BallAnswer& solve_ordinary(const MaxMinBall& problem);
  const BallAnswer& solve_in_units(const MaxMinBall& problem, int rows, int ball);
  template <class Scalar>
  bool search(SimplexQp<Scalar>& simplex, const MaxMinBall& problem);

  BallAnswer answer_;
  MinNormSolver shortest_;
  SimplexQp<double> simplex_;
  SimplexQp<long double> extended_;
};

/// Relative, a backward error as in residual.hpp, with a = G (w + s centre), v = w'a, D = sum_j w_j |g_j| + s |g_0|:
/// the simplex rows of min-norm for this a and D, and | |g_w|^2 - radius^2 s^2 | / D^2; or, where |g_w| < radius s,
/// the larger of |v| / D^2 and `origin`.
double kkt_residual(const MaxMinBall& problem, const BallAnswer& answer);

}  // namespace moblo::qp
