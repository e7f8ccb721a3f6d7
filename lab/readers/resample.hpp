#pragma once

#include <cstdint>
#include <vector>

#include "lab/readers/picture.hpp"

namespace moblo::lab::readers {

/// Stretched to the size by a triangle filter that widens with the factor by which a side shrinks, so that no pixel is
/// skipped (plain bilinear interpolation skips most of a large image, area averages blur less regularly). Bit for bit
/// what Pillow, and hence torchvision, does with bytes.
Picture resampled(const Picture& picture, std::int64_t height, std::int64_t width);

/// A plane of floats.
struct Plane {
  std::int64_t height = 0, width = 0;
  std::vector<float> values;
};

/// The same filter without rounding.
Plane resampled(const Plane& plane, std::int64_t height, std::int64_t width);

/// For each of `to` pixels the one of `from` pixels that its middle lies in.
std::vector<std::int64_t> nearest_pixels(std::int64_t from, std::int64_t to);

}  // namespace moblo::lab::readers
