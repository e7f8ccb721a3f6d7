#pragma once

#include <Eigen/Core>
#include <string>

#include "moblo/base/json.hpp"

namespace moblo::aggregation {

/// One scalar per task, trained beside the model by an Adam of its own (0.9, 0.999, 1e-8): a step moves it by about the
/// step size, whatever the scale of the losses.
class TrainedScales {
 public:
  explicit TrainedScales(double step_size) : step_size_(step_size) {}

  void start(Eigen::Index tasks, double value);
  const Eigen::VectorXd& values() const { return values_; }
  /// Throws Error(numeric) in the name of `who`, before anything changes, where a square overflows: it would stay.
  void descend(const std::string& who, const Eigen::VectorXd& gradient);

  Json save() const;
  void restore(const Json& state);

 private:
  double step_size_;
  std::int64_t steps_ = 0;
  Eigen::VectorXd values_, mean_, square_;
};

}  // namespace moblo::aggregation
