#include "moblo/aggregation/moco_weighting.hpp"

#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/aggregation/weightings/checks.hpp"

namespace moblo::aggregation {

void MocoWeighting::start(Eigen::Index objectives) {
  weights_ = Eigen::VectorXd::Constant(objectives, 1.0 / static_cast<double>(objectives));
}

const Eigen::VectorXd& MocoWeighting::weigh(const Eigen::MatrixXd& gramian, double gamma) {
  const Eigen::VectorXd moved = weights_ - gamma * (gramian * weights_ + rho_ * weights_);
  if (!moved.allFinite()) refuse_overflow("MoCo", "a step of lambda");
  weights_ = projection_ == SimplexProjection::softmax ? softmax(moved) : project_onto_simplex(moved);
  return weights_;
}

Json MocoWeighting::save() const {
  return saved_vector(weights_);
}

void MocoWeighting::take_over(const Json& state) {
  const auto& weights = state.is_object() ? state.at("weights") : state;
  if (static_cast<Eigen::Index>(weights.size()) == weights_.size())
    weights_ = restored_vector(weights, weights_.size());
}

void MocoWeighting::restore(const Json& state) {
  weights_ = restored_vector(state, weights_.size());
}

}  // namespace moblo::aggregation
