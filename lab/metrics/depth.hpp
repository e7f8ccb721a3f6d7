#pragma once

#include <cstdint>
#include <span>

namespace moblo::lab::metrics {

/// Errors of depth maps over the pixels whose true depth is positive; the others were not measured.
class DepthError {
 public:
  void add(std::span<const float> truth, std::span<const float> predicted);

  std::int64_t pixels() const { return pixels_; }
  double absolute() const;  ///< mean of |predicted - true|
  double relative() const;  ///< mean of |predicted - true| / true

 private:
  double absolute_ = 0, relative_ = 0;
  std::int64_t pixels_ = 0;
};

}  // namespace moblo::lab::metrics
