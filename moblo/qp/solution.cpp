#include "moblo/qp/solution.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"

namespace moblo::qp {

std::string_view describe(QpStatus status) {
  switch (status) {
    case QpStatus::solved:
      return "solved";
    case QpStatus::refined:
      return "solved in extended precision";
    case QpStatus::fallback:
      return "solved by the proximal fallback";
    case QpStatus::not_certified:
      return "not certified: the KKT residual exceeds the tolerance";
    case QpStatus::bad_input:
      return "bad input: not a finite Gramian, or a parameter out of range";
  }
  return "unknown status";
}

QpStatus certified_status(Attempt attempt) {
  switch (attempt) {
    case Attempt::active_set:
      return QpStatus::solved;
    case Attempt::extended_precision:
      return QpStatus::refined;
    case Attempt::proximal:
      return QpStatus::fallback;
  }
  return QpStatus::not_certified;
}

void refuse_uncertified(const Solution& solution, std::string_view what) {
  if (!solution.certified()) {
    refuse_answer(solution.status, solution.kkt_residual, solution.weights.size(), what);
  }
}

void refuse_answer(QpStatus status, double kkt_residual, Eigen::Index objectives, std::string_view what) {
  throw Error(ErrorKind::numeric, fmt::format("{} for {} objectives", what, objectives),
              fmt::format("{} (relative KKT residual {:.1e})", describe(status), kkt_residual),
              "Rescale the losses, or report the Gramian as a bug");
}

const Solution& make_unusable(Solution& solution, Eigen::Index size, QpStatus status) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  solution.weights.setConstant(size, nan);
  solution.multiplier = nan;
  solution.bound_multiplier = nan;
  solution.objective = nan;
  solution.status = status;
  return solution;
}

}  // namespace moblo::qp
