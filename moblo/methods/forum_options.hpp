#pragma once

#include <cstdint>

#include "moblo/base/options.hpp"
#include "moblo/methods/catalogue.hpp"
#include "moblo/methods/inner_options.hpp"

namespace moblo {

enum class ForumProfile { paper, reference };
enum class ForumMultiplier { paper, exact };
enum class UpperData { upper, lower };
enum class UpperGradients { raw, unit };
enum class BetaClock { iteration, epoch };

/// FORUM (Algorithm 1 of the paper). The defaults are the paper's; `profile = "reference"` sets those of the authors'
/// released code. Each difference is an option of its own and a decision record in docs/decisions.
struct ForumOptions {
  ForumProfile profile = ForumProfile::paper;

  std::int64_t inner_steps = 16;                         ///< T
  double inner_step_size = 0.1;                          ///< eta; at most 1/L_f for the theory to hold
  double rho = 0.5;                                      ///< phi = rho/2 |grad q|^2; how fast q must fall
  double beta_exponent = 0.75;                           ///< beta_k = beta_scale (k+1)^-exponent
  double beta_scale = 1.0;                               ///< leave at 1, so that lambda~_0 = lambda_0
  BetaClock beta_clock = BetaClock::iteration;           ///< what k counts in beta_k
  InnerStart inner_start = InnerStart::current;          ///< w~_0 = omega_k or omega_0
  InnerBatches inner_batches = InnerBatches::fresh;      ///< a new batch each lower step, or one for all T
  UpperData upper_data = UpperData::upper;               ///< where upper batches come from
  UpperGradients upper_gradients = UpperGradients::raw;  ///< g_i or g_i / (|g_i| + 1e-8)
  bool upper_alpha_gradient = true;                      ///< keep grad_alpha F_i, or set it to zero
  ForumMultiplier multiplier = ForumMultiplier::paper;   ///< nu with 2 phi (paper) or phi (the minimiser)
  double q_floor = 0;                                    ///< added to |grad q|^2
  double inner_loss_limit = 0;                           ///< the lower loop ends above it; 0 = never

  /// Resets what the two profiles differ in.
  void apply_profile();
  static const OptionTable<ForumOptions>& table();
};

MethodInfo forum_info();

template <>
struct EnumNames<ForumProfile> {
  static constexpr std::array values{std::pair{"paper", ForumProfile::paper},
                                     std::pair{"reference", ForumProfile::reference}};
};
template <>
struct EnumNames<ForumMultiplier> {
  static constexpr std::array values{std::pair{"paper", ForumMultiplier::paper},
                                     std::pair{"exact", ForumMultiplier::exact}};
};
template <>
struct EnumNames<UpperData> {
  static constexpr std::array values{std::pair{"upper", UpperData::upper}, std::pair{"lower", UpperData::lower}};
};
template <>
struct EnumNames<UpperGradients> {
  static constexpr std::array values{std::pair{"raw", UpperGradients::raw}, std::pair{"unit", UpperGradients::unit}};
};
template <>
struct EnumNames<BetaClock> {
  static constexpr std::array values{std::pair{"iteration", BetaClock::iteration},
                                     std::pair{"epoch", BetaClock::epoch}};
};

}  // namespace moblo
