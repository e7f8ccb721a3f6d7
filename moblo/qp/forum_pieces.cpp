#include "moblo/qp/forum_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moblo::qp {
namespace {

constexpr int kink_iterations = 100;
constexpr int most_visits = 6;  // three pieces, there and back

// Distance, relative to the data, within which beta is at a breakpoint.
template <class Scalar>
constexpr Scalar breakpoint_slack = 8 * std::numeric_limits<Scalar>::epsilon();

}  // namespace

template <class Scalar>
void ForumPieces<Scalar>::reserve(int objectives, int limits) {
  objectives_ = objectives;
  limits_ = limits;
  const int rows = objectives + (limits > 0 ? limits + 1 : 0);
  simplex_.reserve(rows, objectives);
  gramian_.setZero(rows, rows);
  scales_.resize(limits);
  for (Vector* vector : {&linear_, &product_, &weight_rate_}) vector->setZero(rows);
}

template <class Scalar>
void ForumPieces<Scalar>::load(const ForumDual& problem) {
  const int m = objectives_, last = m + limits_;
  const Scalar square = static_cast<Scalar>(problem.gramian(last, last));
  exact_ = problem.multiplier == Multiplier::exact;
  length_ = row_length(problem.gramian, last) > 0 ? std::sqrt(square) : Scalar{0};
  gramian_.topLeftCorner(last, last) = problem.gramian.topLeftCorner(last, last).template cast<Scalar>();
  for (int i = 0; i < last; ++i) simplex_.lengths[i] = static_cast<Scalar>(row_length(problem.gramian, i));
  linear_.head(m).setZero();
  linear_.head(problem.merits.size()) -= problem.merits.template cast<Scalar>();
  if (length_ > 0) {
    product_.head(last) = problem.gramian.col(last).head(last).template cast<Scalar>() / length_;
    phi_ = static_cast<Scalar>(problem.phi) / length_;
    kappa_ = length_ / (length_ + static_cast<Scalar>(problem.floor) / length_);
  } else {
    product_.setZero();
    phi_ = 0;
    kappa_ = 1;
  }
  if (limits_ > 0) load_limits(problem);
  simplex_.linear_length = 2 * phi_;
  simplex_.linear_sizes = linear_.cwiseAbs();
}

template <class Scalar>
void ForumPieces<Scalar>::load_limits(const ForumDual& problem) {
  const Scalar bound = static_cast<Scalar>(problem.limit_bound);
  for (int j = 0; j < limits_; ++j) {
    const int row = objectives_ + j;
    const Scalar length = simplex_.lengths[row];
    scales_[j] = length > 0 ? bound / length : Scalar{0};
    linear_[row] = scales_[j] * static_cast<Scalar>(problem.allowed[j]);
    product_[row] *= scales_[j];
    gramian_.row(row) *= scales_[j];
    gramian_.col(row) *= scales_[j];
    simplex_.lengths[row] *= scales_[j];
  }
  simplex_.lengths[objectives_ + limits_] = 0;
}

template <class Scalar>
int ForumPieces<Scalar>::minimise(WarmStart& warm_start, bool proximally) {
  proximally_ = proximally;
  int iterations = 0;
  const bool was_at_kink = warm_start.piece == kink && !exact_ && length_ > 0;
  if (was_at_kink) {
    iterations = minimise_at_kink(warm_start.free_set);
    piece_ = kink;
    if (kink_reached_) return iterations;
  }
  return iterations + walk_pieces(warm_start);
}

/// psi is convex: if beta of a piece's minimiser lies beyond the piece, so does the optimum.
template <class Scalar>
int ForumPieces<Scalar>::walk_pieces(WarmStart& warm_start) {
  Piece piece = first_piece(warm_start);
  int iterations = 0;
  int last_move = 0;
  bool turned_back = false;
  for (int visit = 0; visit < most_visits; ++visit) {
    iterations += minimise_piece(piece, warm_start.free_set);
    const Scalar slack = breakpoint_slack<Scalar> * simplex_.magnitude();
    const int move = beta() > upper_end(piece) + slack ? 1 : (beta() < lower_end(piece) - slack ? -1 : 0);
    if (move == 0) break;
    if (move == -last_move && turned_back) {
      // Two neighbours point at each other: the optimum is on the breakpoint. Only the jump of psi' needs a solve of
      // its own; at a smooth breakpoint this is rounding.
      const bool at_jump = !exact_ && (piece == inactive_piece || move > 0);
      if (at_jump) iterations += minimise_at_kink(warm_start.free_set), piece = kink;
      break;
    }
    // The first time, try the neighbour again from this face: P has lost the digits that tell a long row along q from
    // zero, so a solve that began on such a row may have stayed there.
    turned_back = move == -last_move;
    piece = move > 0 ? right_of(piece) : left_of(piece);
    last_move = move;
  }
  piece_ = piece;
  warm_start.piece = piece;
  return iterations;
}

template <class Scalar>
typename ForumPieces<Scalar>::Piece ForumPieces<Scalar>::first_piece(const WarmStart& warm_start) const {
  if (length_ == 0) return inactive_piece;
  const Piece usual = exact_ ? free_piece : bounded_piece;
  switch (warm_start.piece) {
    case free_piece:
      return exact_ || kappa_ < 1 ? free_piece : usual;
    case inactive_piece:
    case kink:
      return inactive_piece;
    default:
      return usual;
  }
}

template <class Scalar>
Scalar ForumPieces<Scalar>::upper_end(Piece piece) const {
  if (piece == inactive_piece) return std::numeric_limits<Scalar>::infinity();
  if (exact_) return phi_;
  if (piece == bounded_piece) return 2 * phi_;
  return phi_ * (1 - 2 * kappa_) / (1 - kappa_);
}

template <class Scalar>
Scalar ForumPieces<Scalar>::lower_end(Piece piece) const {
  const bool no_piece_below = piece == free_piece || (piece == bounded_piece && kappa_ == 1) || length_ == 0;
  return no_piece_below ? -std::numeric_limits<Scalar>::infinity() : upper_end(left_of(piece));
}

template <class Scalar>
int ForumPieces<Scalar>::minimise_piece(Piece piece, std::vector<int>& free_set) {
  Scalar curvature = 1;
  Scalar offset = 0;
  if (piece == free_piece) {
    curvature = 0;
    offset = phi_;
  } else if (piece == bounded_piece) {
    curvature = (1 - kappa_) * (1 - kappa_);
    offset = phi_ * kappa_ * (3 - 2 * kappa_);
  }
  simplex_.linear = offset * product_ + linear_;
  simplex_.hessian = gramian_;
  if (curvature != 1) {
    for (int j = 0; j < simplex_.size(); ++j) simplex_.hessian.col(j) -= ((1 - curvature) * product_[j]) * product_;
  }
  return minimise_simplex(free_set);
}

/// beta = 2 phi as an equality, by its multiplier ("force"): minimise 1/2 lambda'G lambda - force beta and find the
/// force in [0, kappa phi] at which beta = 2 phi. beta is piecewise linear in the force with slopes in [0, 1] (G is
/// P + bb'), so Newton's step is exact once the face is right; bisection guards it. If no force in the range reaches
/// the kink, the optimum is elsewhere.
template <class Scalar>
int ForumPieces<Scalar>::minimise_at_kink(std::vector<int>& free_set) {
  const Scalar largest = kappa_ * phi_;
  Scalar low = 0;
  Scalar high = largest;
  kink_force_ = 0;
  simplex_.hessian = gramian_;
  int iterations = 0;
  for (int k = 0; k < kink_iterations; ++k) {
    simplex_.linear = linear_ - kink_force_ * product_;
    iterations += minimise_simplex(free_set);
    const Scalar missing = 2 * phi_ - beta();
    kink_reached_ = std::abs(missing) <= breakpoint_slack<Scalar> * simplex_.magnitude();
    const bool out_of_reach = kink_force_ == (missing > 0 ? largest : Scalar{0});
    if (kink_reached_ || out_of_reach) break;
    (missing > 0 ? low : high) = kink_force_;
    simplex_.response(product_, weight_rate_);
    const Scalar newton = kink_force_ - missing / weight_rate_.dot(product_);
    const Scalar previous = kink_force_;
    kink_force_ = low + (high - low) / 2;
    if (newton > low && newton < high) kink_force_ = newton;
    if (newton >= largest && high == largest) kink_force_ = largest;
    if (kink_force_ == previous) break;
  }
  return iterations;
}

template <class Scalar>
int ForumPieces<Scalar>::minimise_simplex(std::vector<int>& free_set) {
  return proximally_ ? simplex_.minimise_proximally(free_set) : simplex_.minimise(free_set);
}

template <class Scalar>
double ForumPieces<Scalar>::multiplier() const {
  if (length_ == 0) return 0;
  const Scalar unbounded = std::max(phi_ - beta(), Scalar{0});
  const Scalar gamma = exact_ ? unbounded : std::max(unbounded, kappa_ * (2 * phi_ - beta()));
  return static_cast<double>(gamma / length_);
}

template <class Scalar>
double ForumPieces<Scalar>::bound_multiplier() const {
  if (exact_ || length_ == 0) return 0;
  if (piece_ == kink) return static_cast<double>(kink_force_ / kappa_ * length_);
  if (piece_ != bounded_piece) return 0;
  const Scalar slope = beta() + kappa_ * (2 * phi_ - beta()) - phi_;
  return static_cast<double>(std::max(slope, Scalar{0}) * length_);
}

template class ForumPieces<double>;
template class ForumPieces<long double>;

}  // namespace moblo::qp
