#pragma once

#include <Eigen/Core>
#include <limits>
#include <string_view>
#include <vector>

namespace moblo::qp {

enum class QpStatus {
  solved,         ///< active set in double precision, certified
  refined,        ///< active set in extended precision, certified
  fallback,       ///< proximal-point iteration, certified
  not_certified,  ///< no attempt met the tolerance: the weights are NaN
  bad_input       ///< not a finite Gramian, or a parameter out of range: the weights are NaN
};

std::string_view describe(QpStatus status);

/// The ladder that a solve climbs until the certificate holds.
enum class Attempt { active_set, extended_precision, proximal };

struct Options {
  double tolerance = 1e-10;                     ///< largest certified kkt_residual, see residual.hpp; typical: 1e-15
  Attempt first_attempt = Attempt::active_set;  ///< leave alone, except to test or time a later rung
};

/// Everything that one solve hands to the next. Plain, so that a checkpoint can store it: a solver to which it is
/// restored repeats the uninterrupted run bit for bit.
struct WarmStart {
  std::vector<int> free_set;  ///< indices of the positive weights; empty: cold start
  int piece = -1;             ///< FORUM's dual only: the piece of the piecewise objective, -1: unknown

  bool operator==(const WarmStart&) const = default;
};

struct Solution {
  Eigen::VectorXd weights;  ///< lambda; NaN unless certified, so that an unsolved QP cannot become a direction
  double multiplier = 0;    ///< gamma; 0 for the min-norm problem
  Eigen::VectorXd limit_multipliers;  ///< kappa, one for each limit of FORUM's dual; NaN unless certified
  double bound_multiplier = 0;        ///< dual variable of gamma >= lambda'pi, part of the certificate
  double objective = 0;
  QpStatus status = QpStatus::bad_input;
  double kkt_residual = std::numeric_limits<double>::infinity();
  int iterations = 0;  ///< faces visited, over all attempts

  bool certified() const {
    return status == QpStatus::solved || status == QpStatus::refined || status == QpStatus::fallback;
  }
};

QpStatus certified_status(Attempt attempt);

/// Throws Error(numeric) unless the solution is certified. `what` names the problem: "FORUM's QP".
void refuse_uncertified(const Solution& solution, std::string_view what);
/// The same for the answer to a problem of another form.
[[noreturn]] void refuse_answer(QpStatus status, double kkt_residual, Eigen::Index objectives, std::string_view what);

/// Turns `solution` into one that nobody can use by accident.
const Solution& make_unusable(Solution& solution, Eigen::Index size, QpStatus status);

}  // namespace moblo::qp
