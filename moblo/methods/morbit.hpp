#pragma once

#include <cstdint>
#include <optional>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/hypergradient_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// MORBiT: the largest objective is minimised. The paper's: inner_steps = 1, hypergradient = "neumann", schedules
/// "power" with 3/5 for alpha and 2/5 for omega.
struct MOBLO_API MorbitOptions {
  std::int64_t inner_steps = 10;                                 ///< T
  double inner_step_size = 0.1;                                  ///< eta; at most 1/L of the lower loss
  InnerStart inner_start = InnerStart::current;                  ///< w_0 = omega_k, omega_0 or alpha
  InnerBatches inner_batches = InnerBatches::fresh;              ///< a new batch each lower step, or one for all T
  HypergradientMode hypergradient = HypergradientMode::reverse;  ///< neumann is the paper's
  std::int64_t solver_steps = 20;                                ///< cg, neumann: products with the Hessian
  double solver_tolerance = 1e-10;                               ///< cg: relative residual at which it ends
  std::optional<OmegaStep> omega_step{};                         ///< last where inner_start is upper, else train
  double gamma = 0.1;                                            ///< gamma_k = gamma (k+1)^-exponent
  double gamma_exponent = 0.6;

  void apply_profile() { apply_default_omega_step(*this); }
  void refuse_contradictions(const OptionPlace& place) const { refuse_no_steps(*this, place); }
  static const OptionTable<MorbitOptions>& table();
};

/// min over alpha of max_i F_i(alpha, w_T(alpha)): h_i = dF_i(alpha, w_T(alpha))/dalpha;
/// alpha <- alpha - mu sum lambda_i h_i, then the step of omega;  lambda <- projection of lambda + gamma_k F.
class MOBLO_API Morbit : public BuiltIn {
 public:
  explicit Morbit(const MorbitOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::Morbit;
using methods::MorbitOptions;

}  // namespace moblo
