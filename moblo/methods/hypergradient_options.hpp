#pragma once

#include <cstdint>

#include "moblo/base/error.hpp"
#include "moblo/base/export.hpp"
#include "moblo/gradients/hypergradient_mode.hpp"
#include "moblo/methods/inner_options.hpp"
#include "moblo/problem/traits.hpp"

namespace moblo::methods {

/// What omega does once alpha has moved: a step on f, a step on f + sum F_i, or omega = w_T.
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
  OmegaStep omega_step = OmegaStep::train;  ///< resolved

  MethodTraits traits() const {
    const bool implicit = gradients::is_implicit(hypergradient);
    return {.first_order = false,
            .learns_start = inner_start == InnerStart::upper && !implicit,
            .needs_strongly_convex_lower = implicit};
  }
};

/// Of a method's own options, which have the same fields.
template <class O>
HypergradientOptions hypergradient_options(const O& o) {
  return {o.inner_steps,   o.inner_step_size, o.inner_start,      o.inner_batches,
          o.hypergradient, o.solver_steps,    o.solver_tolerance, *o.omega_step};
}

/// A lower loop that starts at alpha makes the model by itself; omega has nothing to carry from step to step.
template <class O>
void apply_default_omega_step(O& o) {
  if (!o.omega_step) o.omega_step = o.inner_start == InnerStart::upper ? OmegaStep::last : OmegaStep::train;
}

/// Without a lower step the F_i are taken at the start, which only inner_start = "upper" makes depend on alpha.
template <class O>
void refuse_no_steps(const O& o, const OptionPlace& place) {
  if (o.inner_steps > 0 || o.inner_start == InnerStart::upper) return;
  throw Error(ErrorKind::config, place.child("inner_steps").text() + " = 0",
              "is out of range: without a step nothing of alpha is in w_T, unless inner_start = \"upper\"",
              "Choose at least 1");
}

template <class O>
void add_hypergradient_fields(OptionTable<O>& t) {
  add_inner_steps(t, 0);
  add_inner_choices(t);
  t.add("hypergradient", &O::hypergradient,
        "through the lower steps, or implicitly (needs a strongly convex lower loss)");
  t.add("solver_steps", &O::solver_steps, "cg, neumann: products with the lower Hessian", at_least(1));
  t.add("solver_tolerance", &O::solver_tolerance, "cg: relative residual at which it ends", at_least(0));
  t.add("omega_step", &O::omega_step,
        "after alpha: a step of omega on f, on f plus all F_i, or omega = w_T; last where inner_start is upper, else "
        "train");
}

constexpr auto enum_names(OmegaStep) {
  return std::array{std::pair{"train", OmegaStep::train}, std::pair{"train+val", OmegaStep::train_and_validation},
                    std::pair{"last", OmegaStep::last}};
}

}  // namespace moblo::methods

namespace moblo {

using methods::OmegaStep;

}  // namespace moblo
