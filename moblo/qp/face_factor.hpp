#pragma once

#include <Eigen/Core>

namespace moblo::qp {

/// Cholesky factor L of a growing and shrinking positive definite matrix A, with z = L^-1 r for one right side r kept
/// up to date, so that A^-1 r costs one back substitution. Entries of A are expected to be of order 1 (scaled): that
/// is what makes the flatness threshold meaningful.
template <class Scalar>
class FaceFactor {
 public:
  void reserve(int capacity);
  void clear() { size_ = 0; }
  int size() const { return size_; }

  /// The caller writes the next off-diagonal row of A here before append().
  Scalar* next_row() { return row(size_); }

  /// False, and nothing is appended, if the Schur complement is flat: not above the rounding of A itself.
  bool append(Scalar diagonal, Scalar right_side);

  /// After a refused append: x_new = 1 and x_old = -A^-1 (row), along which A has no curvature.
  void flat_direction(Scalar* old_part);
  /// After a refused append: r'x along that direction.
  Scalar flat_slope() const { return refused_slope_; }

  /// Deletes row and column k of A by Givens rotations, O(size^2).
  void remove(int k);

  void solve(Scalar* solution) const;             ///< solution = A^-1 r
  void solve_in_place(Scalar* right_side) const;  ///< for any other right side

 private:
  Scalar* row(int i) { return lower_.data() + static_cast<Eigen::Index>(i) * lower_.cols(); }
  const Scalar* row(int i) const { return lower_.data() + static_cast<Eigen::Index>(i) * lower_.cols(); }
  void forward_substitute(Scalar* vector) const;
  void back_substitute(Scalar* vector) const;

  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> lower_;
  Eigen::Matrix<Scalar, Eigen::Dynamic, 1> forward_;  // z
  Eigen::Matrix<Scalar, Eigen::Dynamic, 1> inverse_diagonal_;
  Scalar refused_slope_ = 0;
  int size_ = 0;
};

extern template class FaceFactor<double>;
extern template class FaceFactor<long double>;

}  // namespace moblo::qp
