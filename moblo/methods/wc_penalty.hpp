#pragma once

#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// Weighted Chebyshev with the penalty v/2 |grad_w f|^2: the lower loss may be convex without being strongly convex.
struct MOBLO_API WcPenaltyOptions {
  std::vector<double> preference{};  ///< r, positive, scaled to sum 1; empty = equal
  double penalty = 1;                ///< v_0
  double penalty_exponent = 0.25;    ///< v_k = v_0 (k+1)^exponent
  double gamma = 0.1;                ///< gamma_k = gamma (k+1)^-exponent
  double gamma_exponent = 0.25;

  static const OptionTable<WcPenaltyOptions>& table();
};

/// h = grad_w f;  z <- z - mu (v_0 / v_k) grad_z (sum_i lambda_i r_i F_i + v_k/2 |h|^2);
/// lambda <- projection of lambda + gamma_k (r o F).
class MOBLO_API WcPenalty : public BuiltIn {
 public:
  explicit WcPenalty(const WcPenaltyOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::WcPenalty;
using methods::WcPenaltyOptions;

}  // namespace moblo
