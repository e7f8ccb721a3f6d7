#include "lab/readers/resample.hpp"

#include <algorithm>
#include <cmath>

namespace moblo::lab::readers {
namespace {

/// The pixels that one output pixel is a weighted mean of.
struct Window {
  std::int64_t first = 0;
  std::vector<double> weights;  ///< their sum is 1
};

std::vector<Window> triangle_windows(std::int64_t from, std::int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double radius = std::max(scale, 1.0);
  std::vector<Window> windows(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(centre - radius + 0.5));
    const auto last = std::min(from, static_cast<std::int64_t>(centre + radius + 0.5));
    Window& window = windows[static_cast<std::size_t>(i)];
    window.first = first;
    double sum = 0;
    for (std::int64_t pixel = first; pixel < last; ++pixel) {
      const double distance = std::abs(static_cast<double>(pixel) - centre + 0.5) / radius;
      window.weights.push_back(std::max(0.0, 1 - distance));
      sum += window.weights.back();
    }
    for (double& weight : window.weights) weight /= sum;
  }
  return windows;
}

/// Bytes are summed in fixed point, as Pillow does, and rounded after each of the two passes.
struct ByteArithmetic {
  using Value = std::uint8_t;
  using Weight = std::int32_t;
  using Sum = std::int32_t;
  static constexpr int bits = 22;  ///< 8 bits of a pixel, 22 of a weight, 2 for the sum and its sign

  static Weight weight(double exact) { return static_cast<Weight>(std::floor(exact * (1 << bits) + 0.5)); }
  static Sum start() { return 1 << (bits - 1); }
  static Value finish(Sum sum) { return static_cast<Value>(std::clamp(sum >> bits, 0, 255)); }
};

struct FloatArithmetic {
  using Value = float;
  using Weight = double;
  using Sum = double;
  static Weight weight(double exact) { return exact; }
  static Sum start() { return 0; }
  static Value finish(Sum sum) { return static_cast<Value>(sum); }
};

/// One pass: `lines` x from x `stride` values to `lines` x to x `stride`. Rows: stride = channels; columns: stride = a
/// row's length and one line.
template <class Arithmetic>
std::vector<typename Arithmetic::Value> pass(const std::vector<typename Arithmetic::Value>& values, std::int64_t lines,
                                             std::int64_t from, std::int64_t to, std::int64_t stride) {
  if (from == to) return values;
  std::vector<typename Arithmetic::Value> out(static_cast<std::size_t>(lines * to * stride));
  std::vector<typename Arithmetic::Sum> sums(static_cast<std::size_t>(stride));
  std::int64_t at = 0;
  const auto windows = triangle_windows(from, to);
  std::vector<std::vector<typename Arithmetic::Weight>> weights;
  for (const auto& window : windows) {
    auto& row = weights.emplace_back();
    for (const double weight : window.weights) row.push_back(Arithmetic::weight(weight));
  }
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::size_t i = 0; i < windows.size(); ++i, at += stride) {
      std::fill(sums.begin(), sums.end(), Arithmetic::start());
      const auto* source = values.data() + (line * from + windows[i].first) * stride;
      for (const auto weight : weights[i]) {
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += weight * source[k];
        source += stride;
      }
      for (std::size_t k = 0; k < sums.size(); ++k) out[static_cast<std::size_t>(at) + k] = Arithmetic::finish(sums[k]);
    }
  }
  return out;
}

}  // namespace

Picture resampled(const Picture& picture, std::int64_t height, std::int64_t width) {
  const std::int64_t channels = picture.channels;
  auto wide = pass<ByteArithmetic>(picture.pixels, picture.height, picture.width, width, channels);
  return {height, width, channels, pass<ByteArithmetic>(wide, 1, picture.height, height, width * channels)};
}

Plane resampled(const Plane& plane, std::int64_t height, std::int64_t width) {
  auto wide = pass<FloatArithmetic>(plane.values, plane.height, plane.width, width, 1);
  return {height, width, pass<FloatArithmetic>(wide, 1, plane.height, height, width)};
}

std::vector<std::int64_t> nearest_pixels(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> nearest;
  for (std::int64_t i = 0; i < to; ++i) nearest.push_back((2 * i + 1) * from / (2 * to));
  return nearest;
}

}  // namespace moblo::lab::readers
