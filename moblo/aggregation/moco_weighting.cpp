#include "moblo/aggregation/moco_weighting.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace moblo {

/// max(point_i - theta, 0), with theta such that they sum to one: theta = (sum of the largest j - 1) / j for the
/// largest j whose j-th entry still exceeds it.
Eigen::VectorXd project_onto_simplex(const Eigen::VectorXd& point) {
  std::vector<double> falling(point.begin(), point.end());
  std::sort(falling.begin(), falling.end(), std::greater<>());
  double sum = 0, theta = 0;
  for (std::size_t j = 0; j < falling.size(); ++j) {
    sum += falling[j];
    const double candidate = (sum - 1) / static_cast<double>(j + 1);
    if (falling[j] > candidate) theta = candidate;
  }
  const Eigen::VectorXd nearest = (point.array() - theta).max(0.0);
  return nearest / nearest.sum();  // what rounding left
}

Eigen::VectorXd softmax(const Eigen::VectorXd& point) {
  const Eigen::VectorXd exponentials = (point.array() - point.maxCoeff()).exp();
  return exponentials / exponentials.sum();
}

void MocoWeighting::start(Eigen::Index objectives) {
  weights_ = Eigen::VectorXd::Constant(objectives, 1.0 / static_cast<double>(objectives));
}

const Eigen::VectorXd& MocoWeighting::weigh(const Eigen::MatrixXd& gramian, double gamma) {
  const Eigen::VectorXd moved = weights_ - gamma * (gramian * weights_ + rho_ * weights_);
  weights_ = projection_ == SimplexProjection::softmax ? softmax(moved) : project_onto_simplex(moved);
  return weights_;
}

Json MocoWeighting::save() const {
  return std::vector<double>(weights_.begin(), weights_.end());
}

void MocoWeighting::restore(const Json& state) {
  const auto weights = state.get<std::vector<double>>();
  weights_ = Eigen::Map<const Eigen::VectorXd>(weights.data(), static_cast<Eigen::Index>(weights.size()));
}

}  // namespace moblo
