#pragma once

#include <cstdint>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// FORUM in a single loop: w~ is carried from step to step and takes one lower step an iteration.
struct MOBLO_API ForumSingleOptions {
  double inner_step_size = 0.1;     ///< eta, of w~
  std::int64_t recentre_every = 0;  ///< iterations after which w~ starts from omega again; 0 = never
  double rho = 0.5;                 ///< phi = rho/2 |grad q|^2; how fast q must fall
  double beta_exponent = 0.75;      ///< beta_k = (k+1)^-exponent
  ForumMultiplier multiplier = ForumMultiplier::paper;   ///< nu with 2 phi (paper) or phi (the minimiser)
  UpperGradients upper_gradients = UpperGradients::raw;  ///< g_i or g_i / (|g_i| + 1e-8)

  static const OptionTable<ForumSingleOptions>& table();
};

/// grad q = (grad_alpha f(z) - grad_alpha f(alpha, w~), grad_omega f(z));  lambda, nu and the step of z as FORUM's;
/// w~ <- w~ - eta grad_w f(alpha, w~), from the pass that gave grad_alpha f(alpha, w~).
class MOBLO_API ForumSingle : public BuiltIn {
 public:
  explicit ForumSingle(const ForumSingleOptions& options = {});
};

}  // namespace moblo::methods

namespace moblo {

using methods::ForumSingle;
using methods::ForumSingleOptions;

}  // namespace moblo
