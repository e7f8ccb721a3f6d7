#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/inner_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

enum class ForumProfile { paper, reference };
enum class ForumMultiplier { paper, exact };
enum class UpperData { upper, lower };
enum class UpperGradients { raw, unit };
enum class BetaClock { iteration, epoch };

/// FORUM (Algorithm 1 of the paper). The defaults are the paper's; `profile = "reference"` sets those of the authors'
/// released code. Each difference is an option of its own and a decision record in docs/decisions.
struct MOBLO_API ForumOptions {
  ForumProfile profile = ForumProfile::paper;

  std::int64_t inner_steps = 16;                        ///< T
  double inner_step_size = 0.1;                         ///< eta; at most 1/L_f for the theory to hold
  double rho = 0.5;                                     ///< phi = rho/2 |grad q|^2; how fast q must fall
  double beta_exponent = 0.75;                          ///< beta_k = beta_scale (k+1)^-exponent
  double beta_scale = 1.0;                              ///< leave at 1, so that lambda~_0 = lambda_0
  InnerStart inner_start = InnerStart::current;         ///< w~_0 = omega_k, omega_0 or alpha
  ForumMultiplier multiplier = ForumMultiplier::paper;  ///< nu with 2 phi (paper) or phi (the minimiser)

  // What the profiles differ in; the profile decides where nothing is given (paper | reference).
  std::optional<BetaClock> beta_clock{};            ///< what k counts in beta_k (iteration | epoch)
  std::optional<InnerBatches> inner_batches{};      ///< a new batch each lower step, or one for all T (fresh | one)
  std::optional<UpperData> upper_data{};            ///< where upper batches come from (upper | lower)
  std::optional<UpperGradients> upper_gradients{};  ///< g_i or g_i / (|g_i| + 1e-8) (raw | unit)
  std::optional<bool> upper_alpha_gradient{};       ///< keep grad_alpha F_i, or set it to zero (true | false)
  std::optional<double> q_floor{};                  ///< added to |grad q|^2 (0 | 1e-8)
  std::optional<double> inner_loss_limit{};         ///< the lower loop ends above it; 0 = never (0 | 1e5)

  // Which trade-off is wanted; docs/fronts.md.
  std::vector<double> preference{};        ///< r > 0, one per objective; empty = any Pareto-stationary point
  std::vector<double> reference{};         ///< z, below all losses; empty = zeros
  double pull = 1;                         ///< how strongly the run is drawn to the ray z + t / r
  std::map<std::string, double> limits{};  ///< objectives to keep at or below a value, by name
  double limit_rate = 1;                   ///< c in <grad F_j, d> <= c (limit - F_j)
  double limit_tolerance = 0.01;           ///< a limit is met up to this share of it
  std::optional<double> beta_floor{};      ///< beta_k stays above it (0; 0.3 with a preference or limits)

  /// Fills in what was not given.
  void apply_profile();
  static const OptionTable<ForumOptions>& table();
};

constexpr auto enum_names(ForumProfile) {
  return std::array{std::pair{"paper", ForumProfile::paper}, std::pair{"reference", ForumProfile::reference}};
}
constexpr auto enum_names(ForumMultiplier) {
  return std::array{std::pair{"paper", ForumMultiplier::paper}, std::pair{"exact", ForumMultiplier::exact}};
}
constexpr auto enum_names(UpperData) {
  return std::array{std::pair{"upper", UpperData::upper}, std::pair{"lower", UpperData::lower}};
}
constexpr auto enum_names(UpperGradients) {
  return std::array{std::pair{"raw", UpperGradients::raw}, std::pair{"unit", UpperGradients::unit}};
}
constexpr auto enum_names(BetaClock) {
  return std::array{std::pair{"iteration", BetaClock::iteration}, std::pair{"epoch", BetaClock::epoch}};
}

/// Algorithm 1 of the paper.
class MOBLO_API Forum : public BuiltIn {
 public:
  explicit Forum(const ForumOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::BetaClock;
using methods::Forum;
using methods::ForumMultiplier;
using methods::ForumOptions;
using methods::ForumProfile;
using methods::UpperData;
using methods::UpperGradients;

}  // namespace moblo
