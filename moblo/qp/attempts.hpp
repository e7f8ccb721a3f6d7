#pragma once

#include <initializer_list>

#include "moblo/qp/solution.hpp"

namespace moblo::qp {

/// Climbs the ladder until `certify`, called after `attempt`, reports a residual within the tolerance.
template <class AttemptOnce, class Certify>
const Solution& climb_attempts(const Options& options, Solution& solution, WarmStart& warm_start, AttemptOnce attempt,
                               Certify certify) {
  solution.iterations = 0;
  for (const Attempt rung : {Attempt::active_set, Attempt::extended_precision, Attempt::proximal}) {
    if (rung < options.first_attempt) continue;
    attempt(rung);
    solution.kkt_residual = certify();
    if (solution.kkt_residual <= options.tolerance) {
      solution.status = certified_status(rung);
      return solution;
    }
    warm_start.free_set.clear();  // it led astray
    warm_start.piece = -1;
  }
  return make_unusable(solution, solution.weights.size(), QpStatus::not_certified);
}

}  // namespace moblo::qp
