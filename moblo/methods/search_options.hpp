#pragma once

#include <cstdint>

#include "moblo/base/options.hpp"
#include "moblo/problem/traits.hpp"

namespace moblo {

/// What the methods without gradients of alpha share: how a point is judged, and where they look.
struct SearchOptions {
  std::int64_t inner_steps = 200;      ///< lower steps from omega_0 that train the model of a point
  double inner_step_size = 0.1;        ///< eta
  std::int64_t upper_evaluations = 1;  ///< upper batches over which F is averaged
  double range = 3;                    ///< each alpha_i is sought within range of its start
  std::int64_t seed = 0;               ///< of the search; a run gives it its own

  MethodTraits traits() const { return {.gradient_free = true}; }
};

/// The fields above, in the table of an options struct that derives from them.
template <class O>
void add_search_fields(OptionTable<O>& t) {
  t.template add<std::int64_t>("inner_steps", &O::inner_steps, "lower steps from omega_0 that train a point's model",
                               at_least(1));
  t.template add<double>("inner_step_size", &O::inner_step_size, "eta, step size of the lower loop", above(0));
  t.template add<std::int64_t>("upper_evaluations", &O::upper_evaluations,
                               "upper batches over which F_1 .. F_m are averaged", at_least(1));
  t.template add<double>("range", &O::range, "every coordinate of alpha stays within range of its start", above(0));
  t.template add<std::int64_t>("seed", &O::seed, "of the search; the run's where it is not given", at_least(0));
}

}  // namespace moblo
