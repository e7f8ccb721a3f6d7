#pragma once

#include <Eigen/Core>
#include <vector>

#include "moblo/qp/face_factor.hpp"

namespace moblo::qp {

/// min over lambda in the simplex of 1/2 lambda'Q lambda + c'lambda, Q positive semidefinite: Wolfe's min-norm-point
/// algorithm with a linear term. The rows may be split in two groups, each with a simplex of its own.
///
/// On a face with members p, i, j, ... the weight of the pivot p is eliminated, lambda_p = 1 - sum_i lambda_i, so the
/// reduced Hessian is Q_ij - Q_ip - Q_pj + Q_pp, scaled by 1/(|g_i| |g_j|); with two groups, each row has the pivot of
/// its own. The pivot is the shortest row: then every entry carries an error of order epsilon |g_i| |g_j| only,
/// whatever the range of lengths. A row that adds no curvature (collinear, rank-deficient) makes the minimiser slide
/// along the flat direction until a weight vanishes.
template <class Scalar>
class SimplexQp {
 public:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// All rows in one group; `second` is the first row of the second group.
  void reserve(int size) { reserve(size, size); }
  void reserve(int size, int second);
  int size() const { return static_cast<int>(linear.size()); }

  // The data, written by the caller.
  Matrix hessian;            ///< Q, symmetric, both triangles
  Vector linear;             ///< c
  Vector lengths;            ///< |g_i|, with |Q_ij| <= |g_i| |g_j| up to a small factor
  Scalar linear_length = 0;  ///< h with |c_i| <= |g_i| h + linear_sizes_i up to a small factor
  Vector linear_sizes;       ///< what |c_i| is beyond that; 0 unless the caller writes it

  /// Starts from the face spanned by `free_set`, or from the best vertex if it is empty; leaves the final face there.
  /// Returns the number of faces visited. The result is feasible always and optimal up to rounding unless the
  /// iteration limit is met: the caller certifies.
  int minimise(std::vector<int>& free_set);

  /// Proximal-point iteration: each step adds delta/2 sum_i |g_i|^2 (lambda_i - previous_i)^2, hence never flat.
  int minimise_proximally(std::vector<int>& free_set);

  const Vector& weights() const { return weights_; }

  /// D = sum_i lambda_i |g_i| + h: rounding moves a gradient entry by about epsilon (|g_i| D + linear_sizes_i).
  Scalar magnitude() const { return weights_.dot(lengths) + linear_length; }

  /// d lambda / dt on the final face when c changes at the rate `linear_rate`.
  void response(const Vector& linear_rate, Vector& weight_rate);

 private:
  int groups() const { return second_ < size() ? 2 : 1; }
  int group_of(int row) const { return row < second_ ? 0 : 1; }
  int pivot_of(int row) const { return members_[group_of(row)]; }
  int member_count() const { return static_cast<int>(members_.size()); }
  void start_from(const std::vector<int>& free_set);
  int best_vertex(int group) const;
  void join_pending();
  bool append(int j);
  void slide_along_flat_direction(int j);
  void rebuild();
  void remove_member(int position);
  void descend_on_face();
  void target_on_face();
  void move_towards_target(Scalar step);
  int most_violated();
  void enter(int j);

  FaceFactor<Scalar> factor_;
  Vector weights_;
  Vector gradient_;
  Vector inverse_lengths_;
  Vector target_;  // by member position
  Vector proximal_anchor_, proximal_linear_;
  int second_ = 0;
  std::vector<int> members_;  // the pivot of each group, then members_[groups + k] is row k of the factor
  std::vector<int> pending_;  // carry weight, not yet in the factor
  int entering_ = -1;
  bool stalled_ = false;
};

extern template class SimplexQp<double>;
extern template class SimplexQp<long double>;

}  // namespace moblo::qp
