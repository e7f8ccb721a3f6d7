#include "lab/report/sparkline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace moblo::lab::report {

std::string sparkline(const std::vector<Point>& points, std::size_t width, bool log) {
  static constexpr std::array<const char*, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<double> heights;
  for (const auto& point : points) {
    const double height = log ? std::log10(point.y) : point.y;
    if (std::isfinite(height)) heights.push_back(height);
  }
  if (heights.empty()) return "";
  width = std::min(width, heights.size());
  std::vector<double> means;
  for (std::size_t i = 0; i < width; ++i) {
    const auto begin = i * heights.size() / width, end = (i + 1) * heights.size() / width;
    double sum = 0;
    for (auto j = begin; j < end; ++j) sum += heights[j] / static_cast<double>(end - begin);
    means.push_back(sum);
  }
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  std::string text;
  for (const double mean : means) {
    const double share = *high > *low ? (mean - *low) / (*high - *low) : 0.5;
    text += blocks[std::min<std::size_t>(7, static_cast<std::size_t>(share * 8))];
  }
  return text;
}

}  // namespace moblo::lab::report
