#include "moblo/aggregation/moco_weighting.hpp"

#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/aggregation/weightings/checks.hpp"

namespace moblo::aggregation {

void MocoWeighting::start(Eigen::Index objectives) {
  preference_.start(objectives);
  const auto free = static_cast<Eigen::Index>(preference_.free().size());
  weights_ = Eigen::VectorXd::Constant(free, 1.0 / static_cast<double>(free));
  step_.forget();
}

MocoWeights MocoWeighting::weigh(const Eigen::MatrixXd& gramian, double gamma) {
  const Eigen::Index all = gramian.rows();
  if (!preference_.any()) {
    descend(gramian * weights_, gamma);
    return {weights_, weights_};
  }
  Eigen::MatrixXd with_q = Eigen::MatrixXd::Zero(all + 1, all + 1);  // no constraint
  with_q.topLeftCorner(all, all) = gramian;
  const PreferredRows rows = preferred_rows("MoCo", with_q, preference_, false);
  const Eigen::Index m = weights_.size();
  Eigen::VectorXd slope = rows.gramian.topLeftCorner(m, m) * weights_;
  if (rows.merits.size() > 0) slope -= rows.merits;
  descend(rows.unit * rows.unit * slope, gamma);
  const qp::ForumDual dual{rows.gramian, 0, qp::Multiplier::exact, 0, rows.merits, rows.allowed, limit_bound(rows, 0)};
  const auto found = step_.solve(dual, rows, weights_);
  const Eigen::VectorXd weights = rows.by_objective(found.weights, found.kappa);
  return {weights, weights.cwiseProduct(rows.scales.head(all))};
}

void MocoWeighting::descend(const Eigen::VectorXd& slope, double gamma) {
  const Eigen::VectorXd moved = weights_ - gamma * (slope + rho_ * weights_);
  if (!moved.allFinite()) refuse_overflow("MoCo", "a step of lambda");
  weights_ = projection_ == SimplexProjection::softmax ? softmax(moved) : project_onto_simplex(moved);
}

Json MocoWeighting::save() const {
  if (!preference_.any()) return saved_vector(weights_);
  return {{"weights", saved_vector(weights_)}, {"preference", preference_.save()}, {"step", step_.save()}};
}

void MocoWeighting::take_over(const Json& state) {
  const auto& weights = state.is_object() ? state.at("weights") : state;
  if (static_cast<Eigen::Index>(weights.size()) == weights_.size())
    weights_ = restored_vector(weights, weights_.size());
}

void MocoWeighting::restore(const Json& state) {
  if (!preference_.any()) {
    weights_ = restored_vector(state, weights_.size());
    return;
  }
  weights_ = restored_vector(state.at("weights"), weights_.size());
  preference_.restore(state.at("preference"));
  step_.restore(state.at("step"));
}

}  // namespace moblo::aggregation
