#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace moblo::lab::metrics {

/// Mean absolute error of each of several quantities that a model predicts of every sample.
class AbsoluteErrors {
 public:
  explicit AbsoluteErrors(std::int64_t quantities);

  /// Samples one after another, one value per quantity each.
  void add(std::span<const float> truth, std::span<const float> predicted);

  std::int64_t samples() const { return samples_; }
  std::vector<double> means() const;

 private:
  std::vector<double> sums_;
  std::int64_t samples_ = 0;
};

}  // namespace moblo::lab::metrics
