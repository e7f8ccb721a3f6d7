#pragma once

#include <cmath>
#include <limits>

namespace moblo::qp {

// std::max drops a NaN in its second argument; a NaN violation must not look like a small one.
inline void raise(double& residual, double violation) {
  if (!(violation <= residual)) {
    residual = std::isnan(violation) ? std::numeric_limits<double>::infinity() : violation;
  }
}

// As for a row_length: below this D^2 has lost its digits.
inline bool vanishes(double magnitude) {
  return magnitude * magnitude < std::numeric_limits<double>::min();
}

}  // namespace moblo::qp
