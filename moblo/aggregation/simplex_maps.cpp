#include "moblo/aggregation/simplex_maps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace moblo::aggregation {

namespace {

/// Beside entries much larger than 1 the 1 below is lost. The nearest point stays where all entries move by one number.
constexpr double far_away = 0x1p20;

}  // namespace

/// max(point_i - theta, 0), with theta such that they sum to one: theta = (sum of the largest j - 1) / j for the
/// largest j whose j-th entry still exceeds it.
Eigen::VectorXd project_onto_simplex(const Eigen::VectorXd& point) {
  const double largest = point.maxCoeff();
  if (std::abs(largest) > far_away) return project_onto_simplex(point.array() - largest);
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

}  // namespace moblo::aggregation
