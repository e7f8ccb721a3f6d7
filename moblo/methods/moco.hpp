#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "moblo/aggregation/simplex_projection.hpp"
#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/hypergradient_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

enum class GradientScale { raw, loss };

/// MoCo: tracked hypergradients and slowly moving weights.
struct MOBLO_API MocoOptions {
  std::int64_t inner_steps = 16;                                 ///< T
  double inner_step_size = 0.1;                                  ///< eta; at most 1/L of the lower loss
  InnerStart inner_start = InnerStart::current;                  ///< w_0 = omega_k, omega_0 or alpha
  InnerBatches inner_batches = InnerBatches::fresh;              ///< a new batch each lower step, or one for all T
  HypergradientMode hypergradient = HypergradientMode::reverse;  ///< checkpointed where memory is short
  std::int64_t solver_steps = 20;                                ///< cg, neumann: products with the Hessian
  double solver_tolerance = 1e-10;                               ///< cg: relative residual at which it ends
  std::optional<OmegaStep> omega_step{};                         ///< last where inner_start is upper, else train
  double beta = 0.5;                                             ///< beta_k = beta (k+1)^-beta_exponent, tracker
  double beta_exponent = 0.5;                                    ///< 0 keeps it constant
  double gamma = 0.1;                                            ///< gamma_k = gamma (k+1)^-gamma_exponent, weights
  double gamma_exponent = 0.5;                                   ///< 0 keeps it constant
  double rho = 0;                                                ///< regularises the weights
  std::optional<SimplexProjection> projection{};      ///< softmax: released code; simplex: the paper, and preferences
  GradientScale gradient_scale = GradientScale::raw;  ///< loss: unit length times the loss, as released

  // Which trade-off is wanted; docs/fronts.md.
  std::vector<double> preference{};        ///< r > 0, one per objective; empty = any Pareto-stationary point
  std::vector<double> reference{};         ///< z, below all losses; empty = zeros
  double pull = 1;                         ///< how strongly the run is drawn to the ray z + t / r
  std::map<std::string, double> limits{};  ///< objectives to keep at or below a value, by name
  double limit_rate = 1;                   ///< c in <grad F_j, d> <= c (limit - F_j)
  double limit_tolerance = 0.01;           ///< a limit is met up to this share of it

  void apply_profile();
  void refuse_contradictions(const OptionPlace& place) const { refuse_no_steps(*this, place); }
  static const OptionTable<MocoOptions>& table();
};

constexpr auto enum_names(GradientScale) {
  return std::array{std::pair{"raw", GradientScale::raw}, std::pair{"loss", GradientScale::loss}};
}

/// h_i = dF_i(alpha, w_T(alpha))/dalpha;  y_i <- y_i - beta_k (y_i - h_i);
/// lambda <- projection(lambda - gamma_k (Y Y' + rho I) lambda);  alpha <- alpha - mu Y' lambda;  the step of omega.
class MOBLO_API Moco : public BuiltIn {
 public:
  explicit Moco(const MocoOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::GradientScale;
using methods::Moco;
using methods::MocoOptions;

}  // namespace moblo
