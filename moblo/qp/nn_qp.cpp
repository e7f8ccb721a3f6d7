#include "moblo/qp/nn_qp.hpp"

#include <algorithm>
#include <cmath>

#include "moblo/qp/problem.hpp"
#include "moblo/qp/violation.hpp"

namespace moblo::qp {
namespace {

using ConstMatrix = Eigen::Ref<const Eigen::MatrixXd>;
using ConstVector = Eigen::Ref<const Eigen::VectorXd>;

constexpr double slope_rounding = 16 * std::numeric_limits<double>::epsilon();
constexpr int visits_per_row = 20;

/// Large beside the rounding of cosines, small beside what is certified.
double fallback_curvature(const Options& options) {
  return options.tolerance / 10;
}

/// How much of the way from `from` >= 0 to `to` stays non-negative; 1 where all of it does.
double share_until_zero(double from, double to) {
  if (to > 0) return 1;
  return from > 0 ? from / (from - to) : 0;
}

}  // namespace

const Solution& NnQpSolver::solve(const ConstMatrix& gramian, const ConstVector& u) {
  const Eigen::Index size = gramian.rows();
  solution_.kkt_residual = std::numeric_limits<double>::infinity();
  solution_.iterations = 0;
  if (!looks_like_gramian(gramian, 1) || u.size() != size || !u.allFinite()) {
    return make_unusable(solution_, size, QpStatus::bad_input);
  }
  solution_.multiplier = solution_.bound_multiplier = 0;
  for (const Attempt rung : {Attempt::active_set, Attempt::proximal}) {
    if (rung < options_.first_attempt) continue;
    load(gramian, u, rung == Attempt::proximal ? fallback_curvature(options_) : 0);
    minimise();
    read_weights(u);
    solution_.objective = half_square(gramian, solution_.weights);
    solution_.kkt_residual = nn_kkt_residual(gramian, u, solution_.weights);
    solution_.status = certified_status(rung);
    if (solution_.kkt_residual <= options_.tolerance) return solution_;
  }
  return make_unusable(solution_, size, QpStatus::not_certified);
}

void NnQpSolver::load(const ConstMatrix& gramian, const ConstVector& u, double delta) {
  const Eigen::Index size = gramian.rows();
  lengths_.resize(size);
  for (Eigen::Index i = 0; i < size; ++i) lengths_[i] = row_length(gramian, i);
  const Eigen::VectorXd inverse = (lengths_.array() > 0).select(lengths_.cwiseInverse(), 0);
  cosines_ = inverse.asDiagonal() * gramian * inverse.asDiagonal();
  for (Eigen::Index i = 0; i < size; ++i) cosines_(i, i) = lengths_[i] > 0 ? 1 + delta : 0;
  start_ = lengths_.cwiseProduct(u);
  linear_.noalias() = cosines_ * start_;
  excess_.setZero(size);
  target_.resize(size);
  members_.clear();
  kept_out_.assign(static_cast<std::size_t>(size), 0);
  factor_.reserve(static_cast<int>(size));
}

void NnQpSolver::minimise() {
  const int limit = solution_.iterations + visits_per_row * static_cast<int>(linear_.size()) + visits_per_row;
  while (solution_.iterations < limit) {
    const int entering = steepest();
    if (entering < 0) return;
    ++solution_.iterations;
    if (append(entering)) {
      descend();
      std::fill(kept_out_.begin(), kept_out_.end(), 0);
      for (const int i : members_) kept_out_[static_cast<std::size_t>(i)] = 1;
    }
    kept_out_[static_cast<std::size_t>(entering)] = 1;  // also where it left at once: rounding let it in
  }
}

/// The row with the most negative slope C_i (w + y), or -1 where none is below rounding.
int NnQpSolver::steepest() {
  const Eigen::VectorXd slope = cosines_ * excess_ + linear_;
  double lowest = -slope_rounding * (start_ + excess_).lpNorm<1>();
  int best = -1;
  for (int i = 0; i < slope.size(); ++i) {
    if (kept_out_[static_cast<std::size_t>(i)] || lengths_[i] == 0 || slope[i] >= lowest) continue;
    lowest = slope[i];
    best = i;
  }
  return best;
}

bool NnQpSolver::append(int j) {
  double* const row = factor_.next_row();
  for (std::size_t k = 0; k < members_.size(); ++k) row[k] = cosines_(j, members_[k]);
  if (!factor_.append(cosines_(j, j), -linear_[j])) return false;
  members_.push_back(j);
  return true;
}

/// Towards the minimiser on the free rows, dropping each row that the way drives to zero.
void NnQpSolver::descend() {
  bool inside = false;
  while (!inside) {
    factor_.solve(target_.data());
    double step = 1;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      step = std::min(step, share_until_zero(excess_[members_[k]], target_[static_cast<Eigen::Index>(k)]));
    }
    inside = true;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      double& y = excess_[members_[k]];
      const double to = target_[static_cast<Eigen::Index>(k)];
      y = to <= 0 && share_until_zero(y, to) <= step ? 0 : y + step * (to - y);
      inside = inside && y > 0;
    }
    remove_vanished();
  }
}

void NnQpSolver::remove_vanished() {
  for (int k = static_cast<int>(members_.size()) - 1; k >= 0; --k) {
    if (excess_[members_[static_cast<std::size_t>(k)]] > 0) continue;
    members_.erase(members_.begin() + k);
    factor_.remove(k);
  }
}

void NnQpSolver::read_weights(const ConstVector& u) {
  solution_.weights = u;
  for (const int i : members_) solution_.weights[i] += excess_[i] / lengths_[i];
}

double nn_kkt_residual(const ConstMatrix& gramian, const ConstVector& u, const ConstVector& weights) {
  const Eigen::Index size = weights.size();
  if (gramian.rows() != size || gramian.cols() != size || u.size() != size) {
    return std::numeric_limits<double>::infinity();
  }
  double magnitude = 0;
  for (Eigen::Index i = 0; i < size; ++i) {
    magnitude += (std::abs(weights[i]) + std::abs(u[i])) * row_length(gramian, i);
  }
  double residual = 0;
  if (vanishes(magnitude)) return residual;
  for (Eigen::Index i = 0; i < size; ++i) {
    const double length = row_length(gramian, i);
    if (length == 0) continue;
    const double excess = (weights[i] - u[i]) * length / magnitude;
    const double slope = gramian.col(i).dot(weights) / length / magnitude;
    raise(residual, -excess);
    raise(residual, -slope);
    raise(residual, std::abs(excess * slope));
  }
  return residual;
}

}  // namespace moblo::qp
