#pragma once

#include <Eigen/Core>
#include <cmath>

#include "fuzz/target.hpp"

namespace moblo::fuzz {

using Real = long double;  // its range holds every product of doubles
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// Numbers that break solvers: small integers, all magnitudes, neighbours, zeros, and any bits at all.
class WildNumbers {
 public:
  explicit WildNumbers(Taker& taker) : taker_(taker) {}

  double next() {
    switch (taker_.up_to(7)) {
      case 0:
        return last_ = taker_.take<double>();
      case 1: {
        const auto digits = taker_.take<std::int8_t>();  // one after another: compilers order arguments differently
        return last_ = std::ldexp(digits, taker_.take<std::int16_t>() % 1100);
      }
      case 2:
        return last_;
      case 3:
        return last_ = std::nextafter(last_, taker_.take<std::int8_t>());
      case 4:
        return last_ = last_ * (1 + std::ldexp(1.0, -taker_.up_to(60)));
      default:
        return last_ = taker_.take<std::int8_t>() / 8.0;
    }
  }
  Eigen::VectorXd vector(Eigen::Index size) {
    Eigen::VectorXd values(size);
    for (auto& value : values) value = next();
    return values;
  }

 private:
  Taker& taker_;
  double last_ = 1;
};

using WildRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows, some of which repeat or oppose others, up to a little.
inline WildRows wild_rows(Taker& taker, Eigen::Index rows) {
  WildNumbers numbers(taker);
  WildRows all(rows, 1 + taker.up_to(3));
  for (Eigen::Index i = 0; i < rows; ++i) {
    const int kind = taker.up_to(7);
    if (kind < 2 && i > 0) {
      const double factor = kind == 0 ? 1 : numbers.next();
      all.row(i) = factor * all.row(taker.up_to(static_cast<int>(i) - 1));
      if (taker.up_to(1) == 1) all(i, 0) = numbers.next();
    } else {
      for (Eigen::Index j = 0; j < all.cols(); ++j) all(i, j) = numbers.next();
    }
  }
  return all;
}

/// Of such rows, or any symmetric matrix, or the former with one entry changed.
inline Eigen::MatrixXd wild_gramian(Taker& taker, Eigen::Index size) {
  const int kind = taker.up_to(7);
  WildNumbers numbers(taker);
  if (kind == 0) {
    Eigen::MatrixXd matrix(size, size);
    for (Eigen::Index j = 0; j < size; ++j) {
      for (Eigen::Index i = 0; i <= j; ++i) matrix(i, j) = matrix(j, i) = numbers.next();
    }
    return matrix;
  }
  const WildRows rows = wild_rows(taker, size);
  Eigen::MatrixXd gramian = rows * rows.transpose();
  if (kind == 1) {
    const Eigen::Index changed = taker.up_to(static_cast<int>(size) - 1);
    gramian(changed, 0) = gramian(0, changed) = numbers.next();
  }
  return gramian;
}

/// |g_i|; rows whose squares have lost their digits to underflow count as zero.
inline RealVector row_lengths(const Eigen::MatrixXd& gramian, Eigen::Index count) {
  RealVector lengths(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double square = gramian(i, i);
    lengths(i) = square < std::numeric_limits<double>::min() ? 0 : std::sqrt(static_cast<Real>(square));
  }
  return lengths;
}

/// Without what stands beside rows that count as zero.
inline Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> counted_gramian(const Eigen::MatrixXd& gramian) {
  auto counted = gramian.cast<Real>().eval();
  const RealVector lengths = row_lengths(gramian, gramian.rows());
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    if (lengths(i) > 0) continue;
    counted.row(i).setZero();
    counted.col(i).setZero();
  }
  return counted;
}

/// The largest violation, as a backward error: what a certificate of moblo/qp/residual.hpp promises, computed again.
class Violations {
 public:
  void add(Real violation) {
    if (!(violation <= worst_)) worst_ = std::isnan(violation) ? std::numeric_limits<Real>::infinity() : violation;
  }
  Real worst() const { return worst_; }

  /// w >= 0 and sum w = 1.
  void add_simplex(const RealVector& weights) {
    add(std::abs(weights.sum() - 1));
    for (const Real weight : weights) add(-weight);
  }
  /// Of the gradient a: a_i >= v, and a_i = v where w_i > 0.
  void add_stationarity(const RealVector& weights, const RealVector& gradient, const RealVector& lengths, Real unit) {
    const Real average = weights.dot(gradient);
    for (Eigen::Index i = 0; i < weights.size(); ++i) {
      add((average - gradient(i)) / ((lengths(i) + unit) * unit));
      add(std::abs(weights(i) * (gradient(i) - average)) / (unit * unit));
    }
  }

 private:
  Real worst_ = 0;
};

/// Where D^2 underflows in double precision all weight is on rows that count as zero.
inline bool counts_as_zero(Real unit) {
  return unit * unit < 16 * static_cast<Real>(std::numeric_limits<double>::min());
}

inline Real min_norm_violation(const Eigen::MatrixXd& gramian, const Eigen::VectorXd& weights) {
  const Eigen::Index m = weights.size();
  const RealVector w = weights.cast<Real>(), lengths = row_lengths(gramian, m);
  Violations violations;
  violations.add_simplex(w);
  const Real unit = w.cwiseAbs().dot(lengths);
  if (counts_as_zero(unit)) return violations.worst();
  const RealVector gradient = counted_gramian(gramian).topLeftCorner(m, m) * w;
  violations.add_stationarity(w, gradient, lengths, unit);
  return violations.worst();
}

}  // namespace moblo::fuzz
