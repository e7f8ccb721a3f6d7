#pragma once

#include <cstdint>

#include "moblo/base/options.hpp"

namespace moblo::methods {

/// What the methods with a lower loop share. Their option structs are flat, so they repeat the fields; names, ranges
/// and help are written here, once.
enum class InnerStart { current, initial, upper };
enum class InnerBatches { fresh, one };

constexpr auto enum_names(InnerStart) {
  return std::array{std::pair{"current", InnerStart::current}, std::pair{"initial", InnerStart::initial},
                    std::pair{"upper", InnerStart::upper}};
}
constexpr auto enum_names(InnerBatches) {
  return std::array{std::pair{"fresh", InnerBatches::fresh}, std::pair{"one", InnerBatches::one}};
}

template <class O>
void add_inner_steps(OptionTable<O>& t, std::int64_t fewest) {
  t.add("inner_steps", &O::inner_steps, "T, steps of the lower loop", within(static_cast<double>(fewest), 1e9));
  t.add("inner_step_size", &O::inner_step_size, "eta, step size of the lower loop", above(0));
}

template <class O>
void add_inner_choices(OptionTable<O>& t) {
  t.add("inner_start", &O::inner_start,
        "where the lower loop starts: omega_k, omega_0, or alpha (a learned initialisation)");
  t.add("inner_batches", &O::inner_batches, "a new batch each lower step, or one batch for all of them");
}

}  // namespace moblo::methods

namespace moblo {

using methods::InnerBatches;
using methods::InnerStart;

}  // namespace moblo
