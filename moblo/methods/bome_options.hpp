#pragma once

#include <cstdint>

#include "moblo/methods/catalogue.hpp"
#include "moblo/methods/inner_options.hpp"

namespace moblo {

enum class PhiRule { gradient, value };

/// BOME on the equal-weight mean of the objectives.
struct BomeOptions {
  std::int64_t inner_steps = 10;                     ///< T
  double inner_step_size = 0.1;                      ///< eta; at most 1/L of the lower loss
  InnerStart inner_start = InnerStart::current;      ///< w~_0 = omega_k or omega_0
  InnerBatches inner_batches = InnerBatches::fresh;  ///< a new batch each lower step, or one for all T
  PhiRule phi = PhiRule::gradient;                   ///< phi = scale |grad q|^2, or scale q
  double phi_scale = 0.5;                            ///< eta_b or u: how fast q must fall; 0.1 to 0.9
  double q_floor = 1e-8;                             ///< added to |grad q|^2 in the multiplier

  static const OptionTable<BomeOptions>& table();
};

MethodInfo bome_info();

template <>
struct EnumNames<PhiRule> {
  static constexpr std::array values{std::pair{"gradient", PhiRule::gradient}, std::pair{"value", PhiRule::value}};
};

}  // namespace moblo
