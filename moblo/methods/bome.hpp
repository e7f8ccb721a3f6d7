#pragma once

#include <cstdint>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/inner_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

enum class PhiRule { gradient, value };

/// BOME on the equal-weight mean of the objectives.
struct MOBLO_API BomeOptions {
  std::int64_t inner_steps = 10;                     ///< T
  double inner_step_size = 0.1;                      ///< eta; at most 1/L of the lower loss
  InnerStart inner_start = InnerStart::current;      ///< w~_0 = omega_k, omega_0 or alpha
  InnerBatches inner_batches = InnerBatches::fresh;  ///< a new batch each lower step, or one for all T
  PhiRule phi = PhiRule::gradient;                   ///< phi = scale |grad q|^2, or scale q
  double phi_scale = 0.5;                            ///< eta_b or u: how fast q must fall; 0.1 to 0.9
  double q_floor = 1e-8;                             ///< added to |grad q|^2 in the multiplier

  static const OptionTable<BomeOptions>& table();
};

constexpr auto enum_names(PhiRule) {
  return std::array{std::pair{"gradient", PhiRule::gradient}, std::pair{"value", PhiRule::value}};
}

/// F = mean_i F_i;  z <- z - mu (grad F + max(c, 0) grad q),  c = (phi - <grad F, grad q>) / (|grad q|^2 + floor).
class MOBLO_API Bome : public BuiltIn {
 public:
  explicit Bome(const BomeOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::Bome;
using methods::BomeOptions;
using methods::PhiRule;

}  // namespace moblo
