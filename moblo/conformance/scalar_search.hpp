#pragma once

#include <algorithm>

namespace moblo::conformance {

/// Where a function of one variable is least in [low, high]: a coarse scan, then golden section around its best point.
template <class Function>
double minimiser_on(double low, double high, Function value) {
  constexpr int points = 200;
  const double spacing = (high - low) / points;
  double best = low, least = value(low);
  for (int i = 1; i <= points; ++i) {
    const double here = low + i * spacing, at_here = value(here);
    if (at_here < least) best = here, least = at_here;
  }
  double left = std::max(low, best - spacing), right = std::min(high, best + spacing);
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; i < 80; ++i) {
    const double c = right - golden * (right - left), d = left + golden * (right - left);
    if (value(c) < value(d)) {
      right = d;
    } else {
      left = c;
    }
  }
  return (left + right) / 2;
}

/// Root of a rising function in [low, high], which it brackets: halved until no number lies between the ends.
template <class Function>
double rising_root(double low, double high, Function value) {
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (value(middle) < 0 ? low : high) = middle;
  }
}

}  // namespace moblo::conformance
