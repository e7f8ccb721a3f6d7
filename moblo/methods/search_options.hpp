#pragma once

#include <cstdint>

#include "moblo/base/options.hpp"

namespace moblo::methods {

/// What the methods without gradients of alpha share: how a point is judged, and where they look.
struct SearchOptions {
  std::int64_t inner_steps = 200;
  double inner_step_size = 0.1;
  std::int64_t upper_evaluations = 1;
  double range = 3;
};

/// Of a method's own options, which have the same fields.
template <class O>
SearchOptions search_options(const O& o) {
  return {o.inner_steps, o.inner_step_size, o.upper_evaluations, o.range};
}

template <class O>
void add_search_fields(OptionTable<O>& t) {
  t.add("inner_steps", &O::inner_steps, "lower steps from omega_0 that train a point's model", at_least(1));
  t.add("inner_step_size", &O::inner_step_size, "eta, step size of the lower loop", above(0));
  t.add("upper_evaluations", &O::upper_evaluations, "upper batches over which F_1 .. F_m are averaged", at_least(1));
  t.add("range", &O::range, "every coordinate of alpha stays within range of its start", above(0));
  t.add("seed", &O::seed, "of the search; the run's where it is not given", at_least(0));
}

}  // namespace moblo::methods
