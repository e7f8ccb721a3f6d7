#pragma once

#include <Eigen/Core>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo {

inline Json to_state(const Eigen::VectorXd& vector) {
  return std::vector<double>(vector.begin(), vector.end());
}

inline Eigen::VectorXd vector_from_state(const Json& state) {
  const auto values = state.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace moblo
