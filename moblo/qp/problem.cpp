#include "moblo/qp/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moblo::qp {
namespace {

constexpr double smallest_square = std::numeric_limits<double>::min();
constexpr double cauchy_schwarz_slack = 1 + 1e-6;
constexpr double asymmetry_slack = 1e-12;  // of a square
constexpr double smallest_ordinary = 0x1p-420, largest_ordinary = 0x1p+420;

/// Zero, or a square of an ordinary length: sums of products with such have all their digits.
bool is_ordinary(double square) {
  return square == 0 || (std::abs(square) >= smallest_ordinary && std::abs(square) <= largest_ordinary);
}

/// Linear terms are compared with squares of lengths: all must be within a range in which both can be added.
bool has_ordinary_terms(const ForumDual& problem) {
  for (const Eigen::VectorXd& values : {Eigen::VectorXd(problem.merits), Eigen::VectorXd(problem.allowed),
                                        Eigen::VectorXd(problem.gramian.diagonal())}) {
    if (!std::all_of(values.begin(), values.end(), is_ordinary)) return false;
  }
  return is_ordinary(problem.phi) && is_ordinary(problem.floor) &&
         is_ordinary(problem.limit_bound * problem.limit_bound);
}

}  // namespace

double row_length(const Eigen::Ref<const Eigen::MatrixXd>& gramian, Eigen::Index i) {
  const double square = gramian(i, i);
  return square < smallest_square ? 0.0 : std::sqrt(square);
}

bool has_lost_rows(const Eigen::Ref<const Eigen::MatrixXd>& gramian) {
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    if (row_length(gramian, i) == 0 && !gramian.col(i).isZero(0)) return true;
  }
  return false;
}

Eigen::MatrixXd without_lost_rows(const Eigen::Ref<const Eigen::MatrixXd>& gramian) {
  Eigen::MatrixXd counted = gramian;
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    if (row_length(gramian, i) > 0) continue;
    counted.row(i).setZero();
    counted.col(i).setZero();
  }
  return counted;
}

double half_square(const Eigen::Ref<const Eigen::MatrixXd>& gramian, const Eigen::Ref<const Eigen::VectorXd>& weights) {
  const Eigen::Index m = weights.size();
  double twice = 0;
  for (Eigen::Index j = 0; j < m; ++j) {
    if (weights[j] != 0) twice += weights[j] * gramian.col(j).head(m).dot(weights);
  }
  return twice / 2;
}

bool looks_like_gramian(const Eigen::Ref<const Eigen::MatrixXd>& gramian, Eigen::Index smallest_size) {
  const Eigen::Index size = gramian.rows();
  if (size < smallest_size || gramian.cols() != size) return false;
  for (Eigen::Index j = 0; j < size; ++j) {
    const double square = gramian(j, j);
    if (!(square >= 0) || !std::isfinite(square)) return false;
    // A length that underflows in G_jj may still show in G_ij beside a long row i.
    const double inverse_length = 1 / std::sqrt(std::max(square, smallest_square));
    for (Eigen::Index i = 0; i < j; ++i) {
      const double square_bound = cauchy_schwarz_slack * std::max(gramian(i, i), smallest_square);
      const double projection = gramian(i, j) * inverse_length;
      const double asymmetry = (gramian(i, j) - gramian(j, i)) * inverse_length;
      if (!(projection * projection <= square_bound)) return false;
      if (!(asymmetry * asymmetry <= asymmetry_slack * square_bound)) return false;
    }
  }
  return true;
}

bool is_valid(const ForumDual& problem) {
  for (const double value : {problem.phi, problem.floor, problem.limit_bound}) {
    if (!(value >= 0) || !std::isfinite(value)) return false;
  }
  const Eigen::Index merits = problem.merits.size();
  if (merits != 0 && merits != problem.objectives()) return false;
  const bool plain = merits == 0 && problem.limits() == 0;
  if (!plain && !has_ordinary_terms(problem)) return false;
  return looks_like_gramian(problem.gramian, 2 + problem.limits());
}

double constraint_multiplier(const ForumDual& problem, const Eigen::Ref<const Eigen::VectorXd>& weights) {
  const Eigen::Index m = weights.size();
  const double length = row_length(problem.gramian, m);
  if (length == 0) return 0;
  // Divided by |q| first: s + floor may be denormal or huge beside b.
  const double phi_factor = problem.multiplier == Multiplier::paper ? 2.0 : 1.0;
  const double scaled_phi = phi_factor * (problem.phi / length);
  const double scaled_product = problem.gramian.col(m).head(m).dot(weights) / length;
  return std::max((scaled_phi - scaled_product) / (length + problem.floor / length), 0.0);
}

}  // namespace moblo::qp
