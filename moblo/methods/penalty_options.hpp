#pragma once

#include <cmath>
#include <cstdint>

#include "moblo/base/options.hpp"

namespace moblo::methods {

/// A penalty that grows with the iterations, s_k = s_0 (k+1)^exponent, and the factor s_0 / s_k on the steps that it
/// makes steeper.
struct GrowingPenalty {
  double initial = 1, exponent = 0;

  double at(std::int64_t k) const { return initial * growth(k); }
  double shrink(std::int64_t k) const { return 1 / growth(k); }

 private:
  double growth(std::int64_t k) const { return std::pow(static_cast<double>(k + 1), exponent); }
};

/// Of a method's own options, which have the same fields.
template <class O>
GrowingPenalty growing_penalty(const O& o) {
  return {o.penalty, o.penalty_exponent};
}

template <class O>
void add_penalty_fields(OptionTable<O>& t, const char* help) {
  t.add("penalty", &O::penalty, help, above(0));
  t.add("penalty_exponent", &O::penalty_exponent,
        "the penalty is penalty (k+1)^penalty_exponent, and steps shrink by the same factor; 0 = constant",
        within(0, 1));
}

}  // namespace moblo::methods
