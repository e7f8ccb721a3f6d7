#pragma once

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// One loop for everything: omega, the linear systems of the hypergradients and alpha take one step an iteration.
struct MOBLO_API GmobaOptions {
  double system_step_size = 0.1;  ///< eta_v; below 2/L of the lower loss

  static const OptionTable<GmobaOptions>& table();
};

/// r_i = grad_w F_i - (d2f/dw2) v_i,  h_i = grad_alpha F_i - (d2f/dalpha dw) v_i;
/// lambda = argmin over the simplex of |sum lambda_i h_i|^2;
/// v_i <- v_i + eta_v r_i,  omega <- omega - mu_w grad_w f,  alpha <- alpha - mu sum lambda_i h_i.
class MOBLO_API Gmoba : public BuiltIn {
 public:
  explicit Gmoba(const GmobaOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::Gmoba;
using methods::GmobaOptions;

}  // namespace moblo
