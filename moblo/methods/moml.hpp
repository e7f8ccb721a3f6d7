#pragma once

#include <cstdint>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/hypergradient_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// MOML: min-norm weights on hypergradients. All it needs to know is the lower loop and the step of omega.
struct MOBLO_API MomlOptions {
  std::int64_t inner_steps = 16;                                 ///< T
  double inner_step_size = 0.1;                                  ///< eta; at most 1/L of the lower loss
  InnerStart inner_start = InnerStart::current;                  ///< w_0 = omega_k or omega_0
  InnerBatches inner_batches = InnerBatches::fresh;              ///< a new batch each lower step, or one for all T
  HypergradientMode hypergradient = HypergradientMode::reverse;  ///< checkpointed where memory is short
  std::int64_t solver_steps = 20;                                ///< cg, neumann: products with the Hessian
  double solver_tolerance = 1e-10;                               ///< cg: relative residual at which it ends
  OmegaStep omega_step = OmegaStep::train;                       ///< what omega does once alpha has moved

  static const OptionTable<MomlOptions>& table();
};

/// h_i = dF_i(alpha, w_T(alpha))/dalpha;  lambda = argmin over the simplex of |sum lambda_i h_i|^2;
/// alpha <- alpha - mu sum lambda_i h_i;  then the step of omega.
class MOBLO_API Moml : public BuiltIn {
 public:
  explicit Moml(const MomlOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::Moml;
using methods::MomlOptions;

}  // namespace moblo
