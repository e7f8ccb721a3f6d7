#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "moblo/base/export.hpp"
#include "moblo/base/json.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/hypergradient_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// MOML: hypergradients, combined by min-norm weights or by any other weighting, and the step of omega.
struct MOBLO_API MomlOptions {
  std::int64_t inner_steps = 16;                                 ///< T
  double inner_step_size = 0.1;                                  ///< eta; at most 1/L of the lower loss
  InnerStart inner_start = InnerStart::current;                  ///< w_0 = omega_k, omega_0 or alpha
  InnerBatches inner_batches = InnerBatches::fresh;              ///< a new batch each lower step, or one for all T
  HypergradientMode hypergradient = HypergradientMode::reverse;  ///< checkpointed where memory is short
  std::int64_t solver_steps = 20;                                ///< cg, neumann: products with the Hessian
  double solver_tolerance = 1e-10;                               ///< cg: relative residual at which it ends
  std::optional<OmegaStep> omega_step{};                         ///< last where inner_start is upper, else train

  std::string weighting = "mgda";           ///< how hypergradients are combined; `moblo list weightings`
  Json weighting_options = Json::object();  ///< of that weighting, by name

  void apply_profile() { apply_default_omega_step(*this); }
  void refuse_contradictions(const OptionPlace& place) const;
  static const OptionTable<MomlOptions>& table();
};

/// h_i = dF_i(alpha, w_T(alpha))/dalpha;  lambda = argmin over the simplex of |sum lambda_i h_i|^2, or what another
/// weighting gives;  alpha <- alpha - mu sum lambda_i h_i;  then the step of omega.
class MOBLO_API Moml : public BuiltIn {
 public:
  explicit Moml(const MomlOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::Moml;
using methods::MomlOptions;

}  // namespace moblo
