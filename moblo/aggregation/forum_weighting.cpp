#include "moblo/aggregation/forum_weighting.hpp"

#include <algorithm>
#include <vector>

#include "moblo/aggregation/saved_vector.hpp"

namespace moblo::aggregation {

void ForumWeighting::start(Eigen::Index objectives) {
  preference_.start(objectives);
  const auto free = static_cast<Eigen::Index>(preference_.free().size());
  smoothed_ = Eigen::VectorXd::Constant(free, 1.0 / static_cast<double>(free));
  solver_.forget();
  step_.forget();
}

ForumWeights ForumWeighting::weigh(const Eigen::MatrixXd& gramian, double beta) {
  const PreferredRows rows = preferred_rows("FORUM", gramian, preference_, options_.unit_length);
  const Eigen::Index last = rows.gramian.rows() - 1;
  // In another unit of length lambda and nu stay, where the floor, a square, is measured in it too.
  const double floor = options_.q_floor / rows.unit / rows.unit;
  // phi has the floor as well: pi_i = (2 phi - b_i) / (s + floor) is then rho - b_i / (s + floor).
  const double phi = options_.rho / 2 * (rows.gramian(last, last) + floor);
  const qp::ForumDual dual{rows.gramian, phi,          options_.multiplier,   floor,
                           rows.merits,  rows.allowed, limit_bound(rows, phi)};
  const qp::Solution& solution = solver_.solve(dual);
  qp::refuse_uncertified(solution, "FORUM's QP");
  const Eigen::VectorXd smoothed = (1 - beta) * smoothed_ + beta * solution.weights;
  const auto step = step_.solve(dual, rows, smoothed);
  smoothed_ = smoothed;

  ForumWeights out;
  out.smoothed = rows.by_objective(step.weights, step.kappa);
  out.solved = rows.by_objective(solution.weights, solution.limit_multipliers);
  out.nu = step.nu;
  out.coefficients.resize(last + 1);
  out.coefficients << out.smoothed.cwiseProduct(rows.scales.head(last)), out.nu;
  out.status = solution.status;
  out.residual = std::max(solution.kkt_residual, step.residual);
  return out;
}

Json ForumWeighting::save() const {
  const auto warm = solver_.warm_start();
  Json state;
  state["smoothed"] = saved_vector(smoothed_);
  state["free_set"] = warm.free_set;
  state["piece"] = warm.piece;
  if (!preference_.any()) return state;
  state["preference"] = preference_.save();
  state["step"] = step_.save();
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
  if (!preference_.any()) return;
  preference_.restore(state.at("preference"));
  step_.restore(state.at("step"));
}

}  // namespace moblo::aggregation
