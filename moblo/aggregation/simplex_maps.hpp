#pragma once

#include <Eigen/Core>

namespace moblo::aggregation {

/// The point of the simplex nearest to `point`.
Eigen::VectorXd project_onto_simplex(const Eigen::VectorXd& point);
/// exp(point_i) / sum_j exp(point_j).
Eigen::VectorXd softmax(const Eigen::VectorXd& point);

}  // namespace moblo::aggregation
