#pragma once

#include <cstdint>

#include "moblo/base/export.hpp"
#include "moblo/gradients/hypergradient_mode.hpp"
#include "moblo/methods/inner_options.hpp"
#include "moblo/problem/traits.hpp"

namespace moblo::methods {

/// What omega does once alpha has moved.
enum class OmegaStep { train, train_and_validation, last };

/// What MOML, MoCo and Auto-Lambda share: the lower loop, how it is differentiated, and the step of omega.
struct MOBLO_API HypergradientOptions {
  std::int64_t inner_steps = 16;
  double inner_step_size = 0.1;
  InnerStart inner_start = InnerStart::current;
  InnerBatches inner_batches = InnerBatches::fresh;
  HypergradientMode hypergradient = HypergradientMode::reverse;
  std::int64_t solver_steps = 20;
  double solver_tolerance = 1e-10;
  OmegaStep omega_step = OmegaStep::train;

  MethodTraits traits() const {
    return {.first_order = false, .needs_strongly_convex_lower = gradients::is_implicit(hypergradient)};
  }
};

/// Of a method's own options, which have the same fields.
template <class O>
HypergradientOptions hypergradient_options(const O& o) {
  return {o.inner_steps,   o.inner_step_size, o.inner_start,      o.inner_batches,
          o.hypergradient, o.solver_steps,    o.solver_tolerance, o.omega_step};
}

template <class O>
void add_hypergradient_fields(OptionTable<O>& t) {
  add_inner_steps(t, 1);
  add_inner_choices(t);
  t.add("hypergradient", &O::hypergradient,
        "through the lower steps, or implicitly (needs a strongly convex lower loss)");
  t.add("solver_steps", &O::solver_steps, "cg, neumann: products with the lower Hessian", at_least(1));
  t.add("solver_tolerance", &O::solver_tolerance, "cg: relative residual at which it ends", at_least(0));
  t.add("omega_step", &O::omega_step, "after alpha: a step of omega on f, on f plus all F_i, or omega = w_T");
}

constexpr auto enum_names(OmegaStep) {
  return std::array{std::pair{"train", OmegaStep::train}, std::pair{"train+val", OmegaStep::train_and_validation},
                    std::pair{"last", OmegaStep::last}};
}

}  // namespace moblo::methods

namespace moblo {

using methods::OmegaStep;

}  // namespace moblo
