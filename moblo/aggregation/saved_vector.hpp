#pragma once

#include <Eigen/Core>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::aggregation {

inline Json saved_vector(const Eigen::VectorXd& vector) {
  return std::vector<double>(vector.begin(), vector.end());
}

inline Eigen::VectorXd restored_vector(const Json& saved) {
  const auto values = saved.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace moblo::aggregation
