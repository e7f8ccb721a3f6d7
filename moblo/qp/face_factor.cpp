#include "moblo/qp/face_factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "moblo/qp/dense_kernels.hpp"

namespace moblo::qp {
namespace {

// A Schur complement below this is rounding of the unit-scale entries, not curvature.
template <class Scalar>
constexpr Scalar flat_curvature = 64 * std::numeric_limits<Scalar>::epsilon();

}  // namespace

template <class Scalar>
void FaceFactor<Scalar>::reserve(int capacity) {
  lower_.resize(capacity, capacity);
  forward_.resize(capacity);
  inverse_diagonal_.resize(capacity);
  size_ = 0;
}

template <class Scalar>
bool FaceFactor<Scalar>::append(Scalar diagonal, Scalar right_side) {
  Scalar* const added = next_row();
  forward_substitute(added);
  const Scalar curvature = diagonal - dot(added, added, size_);
  const Scalar slope = right_side - dot(added, forward_.data(), size_);
  if (!(curvature > flat_curvature<Scalar>)) {
    refused_slope_ = slope;
    return false;
  }
  const Scalar root = std::sqrt(curvature);
  added[size_] = root;
  inverse_diagonal_[size_] = 1 / root;
  forward_[size_] = slope / root;
  ++size_;
  return true;
}

template <class Scalar>
void FaceFactor<Scalar>::flat_direction(Scalar* old_part) {
  const Scalar* const refused = next_row();
  for (int i = 0; i < size_; ++i) old_part[i] = -refused[i];
  back_substitute(old_part);
}

template <class Scalar>
void FaceFactor<Scalar>::remove(int k) {
  for (int i = k + 1; i < size_; ++i) std::copy(row(i), row(i) + i + 1, row(i - 1));
  --size_;
  // Each shifted row reaches one column past the diagonal; L L' and L z are unchanged by rotations of columns.
  for (int j = k; j < size_; ++j) {
    const Scalar diagonal = row(j)[j];
    const Scalar excess = row(j)[j + 1];
    const Scalar radius = std::sqrt(diagonal * diagonal + excess * excess);
    const Scalar cosine = diagonal / radius;
    const Scalar sine = excess / radius;
    const auto rotate = [cosine, sine](Scalar& left, Scalar& right) {
      const Scalar old_left = left;
      left = cosine * old_left + sine * right;
      right = cosine * right - sine * old_left;
    };
    for (int i = j + 1; i < size_; ++i) rotate(row(i)[j], row(i)[j + 1]);
    rotate(forward_[j], forward_[j + 1]);
    row(j)[j] = radius;
    inverse_diagonal_[j] = 1 / radius;
  }
}

template <class Scalar>
void FaceFactor<Scalar>::solve(Scalar* solution) const {
  std::copy(forward_.data(), forward_.data() + size_, solution);
  back_substitute(solution);
}

template <class Scalar>
void FaceFactor<Scalar>::solve_in_place(Scalar* right_side) const {
  forward_substitute(right_side);
  back_substitute(right_side);
}

template <class Scalar>
void FaceFactor<Scalar>::forward_substitute(Scalar* vector) const {
  for (int i = 0; i < size_; ++i) vector[i] = (vector[i] - dot(row(i), vector, i)) * inverse_diagonal_[i];
}

template <class Scalar>
void FaceFactor<Scalar>::back_substitute(Scalar* vector) const {
  for (int i = size_ - 1; i >= 0; --i) {
    vector[i] *= inverse_diagonal_[i];
    add_scaled(-vector[i], row(i), vector, i);
  }
}

template class FaceFactor<double>;
template class FaceFactor<long double>;

}  // namespace moblo::qp
