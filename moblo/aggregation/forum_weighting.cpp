#include "moblo/aggregation/forum_weighting.hpp"

#include <cmath>
#include <vector>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/saved_vector.hpp"

namespace moblo::aggregation {
namespace {

/// Lengths are divided out in the Gramian: no pass over the gradients.
Eigen::VectorXd row_scales(const Eigen::MatrixXd& gramian, bool unit_length) {
  Eigen::VectorXd scales = Eigen::VectorXd::Ones(gramian.rows());
  if (!unit_length) return scales;
  for (Eigen::Index i = 0; i + 1 < gramian.rows(); ++i) scales(i) = 1.0 / (std::sqrt(gramian(i, i)) + 1e-8);
  return scales;
}

}  // namespace

void ForumWeighting::start(Eigen::Index objectives) {
  smoothed_ = Eigen::VectorXd::Constant(objectives, 1.0 / static_cast<double>(objectives));
  solver_.forget();
}

ForumWeights ForumWeighting::weigh(const Eigen::MatrixXd& gramian, double beta) {
  const Eigen::Index m = smoothed_.size();
  const Eigen::VectorXd scales = row_scales(gramian, options_.unit_length);
  const auto [scaled, unit] = scaled_gramian("FORUM", scales.asDiagonal() * gramian * scales.asDiagonal());
  // In another unit of length lambda and nu stay, where the floor, a square, is measured in it too.
  const double floor = options_.q_floor / unit / unit;
  // phi has the floor as well: pi_i = (2 phi - b_i) / (s + floor) is then rho - b_i / (s + floor).
  const qp::ForumDual dual{scaled, options_.rho / 2 * (scaled(m, m) + floor), options_.multiplier, floor};
  const qp::Solution& solution = solver_.solve(dual);
  qp::refuse_uncertified(solution, "FORUM's QP");
  smoothed_ = (1 - beta) * smoothed_ + beta * solution.weights;

  ForumWeights out;
  out.smoothed = smoothed_;
  out.solved = solution.weights;
  out.nu = qp::constraint_multiplier(dual, smoothed_);
  out.coefficients.resize(m + 1);
  out.coefficients << smoothed_.cwiseProduct(scales.head(m)), out.nu;
  out.status = solution.status;
  out.residual = solution.kkt_residual;
  return out;
}

Json ForumWeighting::save() const {
  const auto warm = solver_.warm_start();
  Json state;
  state["smoothed"] = saved_vector(smoothed_);
  state["free_set"] = warm.free_set;
  state["piece"] = warm.piece;
  return state;
}

void ForumWeighting::take_over(const Json& state) {
  const auto& smoothed = state.at("smoothed");
  if (static_cast<Eigen::Index>(smoothed.size()) == smoothed_.size())
    smoothed_ = restored_vector(smoothed, smoothed_.size());
}

void ForumWeighting::restore(const Json& state) {
  smoothed_ = restored_vector(state.at("smoothed"), smoothed_.size());
  solver_.restore({state.at("free_set").get<std::vector<int>>(), state.at("piece").get<int>()});
}

}  // namespace moblo::aggregation
