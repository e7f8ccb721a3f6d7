#pragma once

#include <Eigen/Core>

namespace moblo::qp {

// Below this length a plain loop beats the set-up of a vectorised one.
inline constexpr int vectorised_from = 8;

template <class Scalar>
Scalar dot(const Scalar* a, const Scalar* b, int size) {
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  if (size >= vectorised_from) return Eigen::Map<const Vector>(a, size).dot(Eigen::Map<const Vector>(b, size));
  Scalar sum = 0;
  for (int i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

/// y += factor x
template <class Scalar>
void add_scaled(Scalar factor, const Scalar* x, Scalar* y, int size) {
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  if (size >= vectorised_from) {
    Eigen::Map<Vector>(y, size) += factor * Eigen::Map<const Vector>(x, size);
    return;
  }
  for (int i = 0; i < size; ++i) y[i] += factor * x[i];
}

}  // namespace moblo::qp
