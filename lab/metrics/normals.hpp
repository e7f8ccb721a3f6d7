#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace moblo::lab::metrics {

/// Angles between true and predicted surface normals, in degrees, over the pixels whose true normal is no zero vector.
/// Neither need be of unit length. Memory does not grow with the pixels: the median comes from a histogram of steps of
/// 0.001 degrees and is right to within one step; mean and shares are exact.
class NormalAngles {
 public:
  NormalAngles();

  /// Images one after another, each as three planes (x, y, z) of `pixels_an_image` values. A prediction of zero length
  /// points nowhere: it counts as 90 degrees.
  void add(std::span<const float> truth, std::span<const float> predicted, std::int64_t pixels_an_image);

  std::int64_t pixels() const { return pixels_; }
  double mean() const;
  double median() const;
  double within_11() const;  ///< share below 11.25 degrees
  double within_22() const;  ///< share below 22.5 degrees
  double within_30() const;  ///< share below 30 degrees

 private:
  void count(double angle);

  double sum_ = 0;
  std::int64_t pixels_ = 0, below_11_ = 0, below_22_ = 0, below_30_ = 0;
  std::vector<std::int64_t> histogram_;
};

}  // namespace moblo::lab::metrics
