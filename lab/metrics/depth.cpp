#include "lab/metrics/depth.hpp"

#include <cmath>

#include "lab/metrics/pairs.hpp"

namespace moblo::lab::metrics {

void DepthError::add(std::span<const float> truth, std::span<const float> predicted) {
  refuse_unless_paired(truth.size(), predicted.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!(truth[i] > 0)) continue;
    const double error = std::abs(static_cast<double>(predicted[i]) - static_cast<double>(truth[i]));
    absolute_ += error;
    relative_ += error / static_cast<double>(truth[i]);
    ++pixels_;
  }
}

double DepthError::absolute() const {
  return measured(absolute_, pixels_);
}

double DepthError::relative() const {
  return measured(relative_, pixels_);
}

}  // namespace moblo::lab::metrics
