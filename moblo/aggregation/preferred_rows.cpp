#include "moblo/aggregation/preferred_rows.hpp"

#include <cmath>

#include "moblo/aggregation/gramian_scale.hpp"

namespace moblo::aggregation {
namespace {

constexpr double limit_strength = 100;

/// Lengths and preferences go into the Gramian: no pass over the gradients.
Eigen::VectorXd row_scales(const Eigen::MatrixXd& gramian, const Preference& preference, bool unit_length) {
  Eigen::VectorXd scales(gramian.rows());
  scales << preference.scales(), 1;
  if (!unit_length) return scales;
  for (Eigen::Index i = 0; i + 1 < gramian.rows(); ++i) scales(i) /= std::sqrt(gramian(i, i)) + 1e-8;
  return scales;
}

/// Rows that are nothing beside the linear terms, a converged grad q among them.
void drop_short_rows(Eigen::MatrixXd& gramian) {
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    if (gramian(i, i) >= 0x1p-410) continue;
    gramian.row(i).setZero();
    gramian.col(i).setZero();
  }
}

}  // namespace

Eigen::VectorXd PreferredRows::by_objective(const Eigen::VectorXd& weights, const Eigen::VectorXd& kappa) const {
  Eigen::VectorXd all(weights.size() + kappa.size());
  for (Eigen::Index i = 0; i < all.size(); ++i) {
    all[order[static_cast<std::size_t>(i)]] = i < weights.size() ? weights[i] : kappa[i - weights.size()];
  }
  return all;
}

PreferredRows preferred_rows(const std::string& who, const Eigen::MatrixXd& gramian, const Preference& preference,
                             bool unit_length) {
  PreferredRows rows;
  rows.order = preference.free();
  rows.order.insert(rows.order.end(), preference.limited().begin(), preference.limited().end());
  rows.order.push_back(gramian.rows() - 1);
  rows.scales = row_scales(gramian, preference, unit_length);
  const Eigen::MatrixXd all = rows.scales.asDiagonal() * gramian * rows.scales.asDiagonal();
  auto [scaled, unit] = scaled_gramian(who, all(rows.order, rows.order));
  rows.gramian = std::move(scaled);
  rows.unit = unit;
  if (preference.any()) drop_short_rows(rows.gramian);
  const auto free = static_cast<Eigen::Index>(preference.free().size());
  const auto limits = static_cast<Eigen::Index>(preference.limited().size());
  rows.merits = preference.merits(rows.gramian.diagonal().head(free));
  const Eigen::VectorXd limit_scales = rows.scales(preference.limited());
  rows.allowed = preference.allowed(rows.gramian.diagonal().segment(free, limits), limit_scales / unit / unit);
  return rows;
}

double limit_bound(const PreferredRows& rows, double phi) {
  const Eigen::Index last = rows.gramian.rows() - 1;
  const double q = std::sqrt(rows.gramian(last, last));
  return limit_strength * (std::sqrt(rows.gramian.diagonal().head(last).maxCoeff()) + (q > 0 ? phi / q : 0));
}

StepAtWeights::Answer StepAtWeights::solve(const qp::ForumDual& dual, const PreferredRows& rows,
                                           const Eigen::VectorXd& weights) {
  const Eigen::Index m = weights.size(), limits = dual.limits();
  if (limits == 0) return {weights, Eigen::VectorXd(0), qp::constraint_multiplier(dual, weights), 0};
  Eigen::MatrixXd merging = Eigen::MatrixXd::Zero(limits + 2, m + limits + 1);
  merging.row(0).head(m) = weights;
  merging.bottomRightCorner(limits + 1, limits + 1).setIdentity();
  const Eigen::MatrixXd product = merging * dual.gramian * merging.transpose();
  const Eigen::MatrixXd merged = (product + product.transpose()) / 2;
  const qp::Solution& solution =
      solver_.solve({merged, dual.phi, dual.multiplier, dual.floor, qp::no_values, dual.allowed, dual.limit_bound});
  qp::refuse_uncertified(solution, "the QP of the limits");

  const Eigen::VectorXd& kappa = solution.limit_multipliers;
  const double of_objectives =
      rows.by_objective(weights, Eigen::VectorXd::Zero(limits)).dot(rows.scales.head(m + limits));
  const double of_limits = rows.by_objective(Eigen::VectorXd::Zero(m), kappa).dot(rows.scales.head(m + limits));
  const double share = of_objectives / (of_objectives + of_limits);
  Eigen::VectorXd all(m + limits);
  all << share * weights, share * kappa;
  return {share * weights, share * kappa, qp::constraint_multiplier(dual, all), solution.kkt_residual};
}

Json StepAtWeights::save() const {
  const auto& warm = solver_.warm_start();
  return {{"free_set", warm.free_set}, {"piece", warm.piece}};
}

void StepAtWeights::restore(const Json& state) {
  solver_.restore({state.at("free_set").get<std::vector<int>>(), state.at("piece").get<int>()});
}

}  // namespace moblo::aggregation
