#include "moblo/qp/simplex_qp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "moblo/qp/dense_kernels.hpp"

namespace moblo::qp {
namespace {

// Violations of dual feasibility below this (relative as in residual.hpp) are rounding.
template <class Scalar>
constexpr Scalar entering_threshold = 64 * std::numeric_limits<Scalar>::epsilon();

// A pivot this much longer than another member would cost that member's digits.
constexpr int pivot_length_ratio = 8;

constexpr int iterations_per_row = 8;
constexpr int iterations_at_least = 64;
constexpr int proximal_rounds = 64;
constexpr double proximal_delta = 1e-6;

}  // namespace

template <class Scalar>
void SimplexQp<Scalar>::reserve(int size, int second) {
  second_ = second;
  hessian.resize(size, size);
  for (Vector* vector :
       {&linear, &lengths, &weights_, &gradient_, &inverse_lengths_, &target_, &proximal_anchor_, &proximal_linear_}) {
    vector->resize(size);
  }
  linear_sizes.setZero(size);
  factor_.reserve(size);
  members_.reserve(static_cast<std::size_t>(size) + 1);
  pending_.reserve(static_cast<std::size_t>(size) + 1);
}

template <class Scalar>
int SimplexQp<Scalar>::minimise(std::vector<int>& free_set) {
  const int limit = iterations_at_least + iterations_per_row * size();
  for (int i = 0; i < size(); ++i) inverse_lengths_[i] = lengths[i] > 0 ? 1 / lengths[i] : Scalar{1};
  start_from(free_set);
  int iterations = 0;
  for (stalled_ = false; iterations < limit; ++iterations) {
    descend_on_face();
    const int violated = stalled_ ? -1 : most_violated();
    if (violated < 0) break;
    enter(violated);
  }
  free_set.assign(members_.begin(), members_.end());
  std::sort(free_set.begin(), free_set.end());
  return iterations + 1;
}

template <class Scalar>
int SimplexQp<Scalar>::minimise_proximally(std::vector<int>& free_set) {
  const Scalar delta = static_cast<Scalar>(proximal_delta);
  proximal_linear_ = linear;
  proximal_anchor_.head(second_).setConstant(Scalar{1} / static_cast<Scalar>(second_));
  const int others = size() - second_;
  if (others > 0) proximal_anchor_.tail(others).setConstant(Scalar{1} / static_cast<Scalar>(others));
  hessian.diagonal().array() += delta * lengths.array().square();
  int iterations = 0;
  for (int round = 0; round < proximal_rounds; ++round) {
    linear.array() = proximal_linear_.array() - delta * lengths.array().square() * proximal_anchor_.array();
    iterations += minimise(free_set);
    const Scalar moved = ((weights_ - proximal_anchor_).array().abs() * lengths.array()).maxCoeff();
    proximal_anchor_ = weights_;
    if (moved <= std::numeric_limits<Scalar>::epsilon() * magnitude()) break;
  }
  hessian.diagonal().array() -= delta * lengths.array().square();
  linear = proximal_linear_;
  return iterations;
}

template <class Scalar>
void SimplexQp<Scalar>::start_from(const std::vector<int>& free_set) {
  weights_.setZero();
  members_.clear();
  factor_.clear();
  pending_.clear();
  for (const int i : free_set) {
    const bool usable = i >= 0 && i < size() && weights_[i] == 0;
    if (usable) pending_.push_back(i), weights_[i] = 1;
  }
  for (int group = 0; group < groups(); ++group) {
    const auto in_group = [&](int i) { return group_of(i) == group; };
    if (std::none_of(pending_.begin(), pending_.end(), in_group)) pending_.push_back(best_vertex(group));
    const auto count = std::count_if(pending_.begin(), pending_.end(), in_group);
    for (const int i : pending_) {
      if (in_group(i)) weights_[i] = 1 / static_cast<Scalar>(count);
    }
  }
  entering_ = -1;
  rebuild();
  join_pending();
}

template <class Scalar>
int SimplexQp<Scalar>::best_vertex(int group) const {
  const int begin = group == 0 ? 0 : second_;
  const int end = group == 0 ? second_ : size();
  int best = begin;
  Scalar least = std::numeric_limits<Scalar>::infinity();
  for (int i = begin; i < end; ++i) {
    // Q_ii may be the difference of two numbers of size |g_i|^2: its rounding must not make a long row look good.
    const Scalar rounding = entering_threshold<Scalar> * lengths[i] * lengths[i];
    const Scalar value = hessian(i, i) / 2 + linear[i] + rounding;
    if (value < least) least = value, best = i;
  }
  return best;
}

/// Members become pending again, the shortest of each group first in line to be its pivot.
template <class Scalar>
void SimplexQp<Scalar>::rebuild() {
  pending_.insert(pending_.end(), members_.begin(), members_.end());
  members_.clear();
  factor_.clear();
  for (int group = 0; group < groups(); ++group) {
    const auto last = pending_.end() - group;  // behind it stand the pivots of the groups before
    const auto comes_first = [&](int a, int b) {
      if (group_of(a) != group_of(b)) return group_of(a) == group;
      return lengths[a] < lengths[b];
    };
    std::iter_swap(std::min_element(pending_.begin(), last, comes_first), last - 1);
  }
}

template <class Scalar>
void SimplexQp<Scalar>::join_pending() {
  while (!pending_.empty()) {
    const int j = pending_.back();
    pending_.pop_back();
    if (static_cast<int>(members_.size()) < groups() || append(j)) {
      members_.push_back(j);
    } else {
      slide_along_flat_direction(j);
    }
  }
}

template <class Scalar>
bool SimplexQp<Scalar>::append(int j) {
  const int pivot = pivot_of(j);
  const Scalar* const column = hessian.col(j).data();
  const Scalar* const pivot_column = hessian.col(pivot).data();
  std::array<Scalar, 2> offsets{};
  Scalar slope = linear[pivot] - linear[j];
  for (int group = 0; group < groups(); ++group) {
    offsets[group] = column[members_[group]] - pivot_column[members_[group]];
    slope -= offsets[group];
  }
  const Scalar scale = inverse_lengths_[j];
  Scalar* const row = factor_.next_row();
  for (int k = 0; k < factor_.size(); ++k) {
    const int i = members_[k + groups()];
    row[k] = (column[i] - pivot_column[i] - offsets[group_of(i)]) * scale * inverse_lengths_[i];
  }
  const Scalar diagonal = (column[j] - column[pivot] - offsets[group_of(j)]) * scale * scale;
  return factor_.append(diagonal, slope * scale);
}

/// The objective is linear along the direction, so its minimum over the simplex is where the first weight vanishes.
template <class Scalar>
void SimplexQp<Scalar>::slide_along_flat_direction(int j) {
  Vector& direction = target_;
  factor_.flat_direction(direction.data() + groups());
  // A row with weight may move both ways; one without weight entered because the objective falls with it.
  const Scalar sign = weights_[j] > 0 && factor_.flat_slope() < 0 ? Scalar{-1} : Scalar{1};
  const Scalar own_rate = sign * inverse_lengths_[j];
  const int count = member_count();
  for (int group = 0; group < groups(); ++group) direction[group] = group == group_of(j) ? -own_rate : Scalar{0};
  for (int k = groups(); k < count; ++k) {
    direction[k] *= sign * inverse_lengths_[members_[k]];
    direction[group_of(members_[k])] -= direction[k];
  }
  int blocking = -1;
  Scalar step = own_rate < 0 ? -weights_[j] / own_rate : std::numeric_limits<Scalar>::infinity();
  for (int k = 0; k < count; ++k) {
    if (!(direction[k] < 0)) continue;
    const Scalar reach = -weights_[members_[k]] / direction[k];
    if (reach < step) step = reach, blocking = k;
  }
  for (int k = 0; k < count; ++k) {
    Scalar& weight = weights_[members_[k]];
    weight = std::max(weight + step * direction[k], Scalar{0});
  }
  weights_[j] = std::max(weights_[j] + step * own_rate, Scalar{0});
  if (blocking < 0) {
    weights_[j] = 0;
    return;
  }
  pending_.push_back(j);
  remove_member(blocking);
}

template <class Scalar>
void SimplexQp<Scalar>::remove_member(int position) {
  weights_[members_[position]] = 0;
  members_.erase(members_.begin() + position);
  if (position >= groups()) {
    factor_.remove(position - groups());
  } else {
    rebuild();
  }
}

template <class Scalar>
void SimplexQp<Scalar>::target_on_face() {
  factor_.solve(target_.data() + groups());
  target_.head(groups()).setOnes();
  for (int k = groups(); k < member_count(); ++k) {
    target_[k] *= inverse_lengths_[members_[k]];
    target_[group_of(members_[k])] -= target_[k];
  }
}

template <class Scalar>
void SimplexQp<Scalar>::move_towards_target(Scalar step) {
  for (int k = 0; k < member_count(); ++k) {
    Scalar& weight = weights_[members_[k]];
    weight = std::max(weight + step * (target_[k] - weight), Scalar{0});
  }
}

/// Wolfe's minor cycle: to the minimiser on the affine hull of the face, dropping the members that would turn negative.
template <class Scalar>
void SimplexQp<Scalar>::descend_on_face() {
  for (;;) {
    target_on_face();
    int blocking = -1;
    Scalar step = 1;
    for (int k = 0; k < member_count(); ++k) {
      if (target_[k] > 0) continue;
      const Scalar weight = weights_[members_[k]];
      const Scalar reach = weight > 0 ? weight / (weight - target_[k]) : Scalar{0};
      if (blocking < 0 || reach < step) step = reach, blocking = k;
    }
    if (blocking < 0) {
      for (int k = 0; k < member_count(); ++k) weights_[members_[k]] = target_[k];
      return;
    }
    // In exact arithmetic a row that enters gains weight; if it does not, its violation was rounding.
    stalled_ = stalled_ || (step == 0 && members_[blocking] == entering_);
    move_towards_target(step);
    remove_member(blocking);
    join_pending();
  }
}

template <class Scalar>
int SimplexQp<Scalar>::most_violated() {
  gradient_ = linear;
  std::array<Scalar, 2> average{};
  for (const int i : members_) add_scaled(weights_[i], hessian.col(i).data(), gradient_.data(), size());
  for (const int i : members_) average[group_of(i)] += weights_[i] * gradient_[i];
  const Scalar total = magnitude();
  const Scalar linear_size = weights_.dot(linear_sizes);
  int worst = -1;
  Scalar largest = entering_threshold<Scalar>;
  for (int j = 0; j < size(); ++j) {
    if (weights_[j] > 0) continue;
    const Scalar violation = average[group_of(j)] - gradient_[j];
    const Scalar unit = (lengths[j] + total) * total + linear_sizes[j] + linear_size;
    if (violation > largest * unit) largest = violation / unit, worst = j;
  }
  return worst;
}

template <class Scalar>
void SimplexQp<Scalar>::enter(int j) {
  entering_ = j;
  const bool pivot_too_long = pivot_length_ratio * lengths[j] < lengths[pivot_of(j)];
  pending_.push_back(j);
  if (pivot_too_long) rebuild();
  join_pending();
}

template <class Scalar>
void SimplexQp<Scalar>::response(const Vector& linear_rate, Vector& weight_rate) {
  for (int k = groups(); k < member_count(); ++k) {
    const int i = members_[k];
    target_[k] = (linear_rate[pivot_of(i)] - linear_rate[i]) * inverse_lengths_[i];
  }
  factor_.solve_in_place(target_.data() + groups());
  weight_rate.setZero();
  for (int k = groups(); k < member_count(); ++k) {
    const int i = members_[k];
    weight_rate[i] = target_[k] * inverse_lengths_[i];
    weight_rate[pivot_of(i)] -= weight_rate[i];
  }
}

template class SimplexQp<double>;
template class SimplexQp<long double>;

}  // namespace moblo::qp
