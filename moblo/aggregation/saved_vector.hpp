#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <vector>

#include "moblo/base/error.hpp"
#include "moblo/base/json.hpp"

namespace moblo::aggregation {

inline Json saved_vector(const Eigen::VectorXd& vector) {
  return std::vector<double>(vector.begin(), vector.end());
}

/// A checkpoint may come from anywhere: a vector of another length would be read beyond its end.
inline Eigen::VectorXd restored_vector(const Json& saved, Eigen::Index size) {
  const auto values = saved.get<std::vector<double>>();
  if (static_cast<Eigen::Index>(values.size()) != size) {
    throw Error(ErrorKind::checkpoint, fmt::format("a list of {} numbers in the checkpoint", values.size()),
                fmt::format("should have {}", size), "Resume with the options that the run was started with");
  }
  return Eigen::Map<const Eigen::VectorXd>(values.data(), size);
}

/// The same for what is empty before the first step.
inline Eigen::VectorXd restored_vector_or_none(const Json& saved, Eigen::Index size) {
  return restored_vector(saved, saved.is_array() && saved.empty() ? 0 : size);
}

}  // namespace moblo::aggregation
