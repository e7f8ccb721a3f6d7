#pragma once

#include <cstdint>
#include <optional>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/hypergradient_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// Auto-Lambda: one lower step in each loop, as published; the hypergradient is exact instead of a finite difference.
struct MOBLO_API AutolambdaOptions {
  std::int64_t inner_steps = 1;                                  ///< T
  double inner_step_size = 0.1;                                  ///< eta; at most 1/L of the lower loss
  InnerStart inner_start = InnerStart::current;                  ///< w_0 = omega_k, omega_0 or alpha
  InnerBatches inner_batches = InnerBatches::fresh;              ///< a new batch each lower step, or one for all T
  HypergradientMode hypergradient = HypergradientMode::reverse;  ///< checkpointed where memory is short
  std::int64_t solver_steps = 20;                                ///< cg, neumann: products with the Hessian
  double solver_tolerance = 1e-10;                               ///< cg: relative residual at which it ends
  std::optional<OmegaStep> omega_step{};                         ///< last where inner_start is upper, else train

  void apply_profile() { apply_default_omega_step(*this); }
  void refuse_contradictions(const OptionPlace& place) const { refuse_no_steps(*this, place); }
  static const OptionTable<AutolambdaOptions>& table();
};

/// alpha <- alpha - mu dF/dalpha with F = mean_i F_i(alpha, w_T(alpha)), then a step of omega.
class MOBLO_API Autolambda : public BuiltIn {
 public:
  explicit Autolambda(const AutolambdaOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::Autolambda;
using methods::AutolambdaOptions;

}  // namespace moblo
