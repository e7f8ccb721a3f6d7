#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

  // Which trade-off is wanted; docs/fronts.md.
  std::vector<double> preference{};        ///< r > 0, one per objective; empty = any Pareto-stationary point
  std::vector<double> reference{};         ///< z, below all losses; empty = zeros
  double pull = 1;                         ///< how strongly the run is drawn to the ray z + t / r
  std::map<std::string, double> limits{};  ///< objectives to keep at or below a value, by name
  double limit_rate = 1;                   ///< c in <grad F_j, d> <= c (limit - F_j)
  double limit_tolerance = 0.01;           ///< a limit is met up to this share of it

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

/// MOML with a preference, all objectives alike where none is given: lambda = argmin over the simplex of
/// 1/2 |sum lambda_i r_i h_i|^2 - u sum lambda_i r_i (F_i - z_i);  alpha <- alpha - mu sum lambda_i r_i h_i.
class MOBLO_API WcMhgd : public BuiltIn {
 public:
  explicit WcMhgd(const MomlOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::Moml;
using methods::MomlOptions;
using methods::WcMhgd;

}  // namespace moblo
