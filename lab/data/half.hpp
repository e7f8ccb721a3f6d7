#pragma once

#include <cmath>
#include <cstdint>

namespace moblo::lab::data {

/// The value of an IEEE 754 half: 1 bit of sign, 5 of exponent, 10 of fraction.
inline float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  const float sign = bits & 0x8000 ? -1.0F : 1.0F;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 0x1f) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

}  // namespace moblo::lab::data
