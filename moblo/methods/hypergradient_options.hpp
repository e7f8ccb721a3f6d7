#pragma once

#include <cstdint>

#include "moblo/gradients/hypergradient_mode.hpp"
#include "moblo/methods/inner_options.hpp"
#include "moblo/problem/traits.hpp"

namespace moblo {

/// What omega does once alpha has moved.
enum class OmegaStep { train, train_and_validation, last };

/// What MOML and MoCo share: the lower loop, how it is differentiated, and the step of omega.
struct HypergradientOptions {
  std::int64_t inner_steps = 16;                                 ///< T
  double inner_step_size = 0.1;                                  ///< eta; at most 1/L of the lower loss
  InnerStart inner_start = InnerStart::current;                  ///< w_0 = omega_k or omega_0
  InnerBatches inner_batches = InnerBatches::fresh;              ///< a new batch each lower step, or one for all T
  HypergradientMode hypergradient = HypergradientMode::reverse;  ///< checkpointed where memory is short
  std::int64_t solver_steps = 20;                                ///< cg, neumann: products with the Hessian
  double solver_tolerance = 1e-10;                               ///< cg: relative residual at which it ends
  OmegaStep omega_step = OmegaStep::train;                       ///< see the enum

  MethodTraits traits() const {
    return {.first_order = false, .needs_strongly_convex_lower = is_implicit(hypergradient)};
  }
};

/// The fields above, in the table of an options struct that derives from them.
template <class O>
void add_hypergradient_fields(OptionTable<O>& t) {
  t.template add<std::int64_t>("inner_steps", &O::inner_steps, "T, steps of the lower loop", at_least(1));
  t.template add<double>("inner_step_size", &O::inner_step_size, "eta, step size of the lower loop", above(0));
  t.template add<InnerStart>("inner_start", &O::inner_start, "where the lower loop starts: omega_k or omega_0");
  t.template add<InnerBatches>("inner_batches", &O::inner_batches,
                               "a new batch each lower step, or one batch for all of them");
  t.template add<HypergradientMode>("hypergradient", &O::hypergradient,
                                    "through the lower steps, or implicitly (needs a strongly convex lower loss)");
  t.template add<std::int64_t>("solver_steps", &O::solver_steps, "cg, neumann: products with the lower Hessian",
                               at_least(1));
  t.template add<double>("solver_tolerance", &O::solver_tolerance, "cg: relative residual at which it ends",
                         at_least(0));
  t.template add<OmegaStep>("omega_step", &O::omega_step,
                            "after alpha: a step of omega on f, on f plus all F_i, or omega = w_T");
}

template <>
struct EnumNames<HypergradientMode> {
  static constexpr std::array values{
      std::pair{"reverse", HypergradientMode::reverse}, std::pair{"checkpointed", HypergradientMode::checkpointed},
      std::pair{"cg", HypergradientMode::cg}, std::pair{"neumann", HypergradientMode::neumann}};
};
template <>
struct EnumNames<OmegaStep> {
  static constexpr std::array values{std::pair{"train", OmegaStep::train},
                                     std::pair{"train+val", OmegaStep::train_and_validation},
                                     std::pair{"last", OmegaStep::last}};
};

}  // namespace moblo
