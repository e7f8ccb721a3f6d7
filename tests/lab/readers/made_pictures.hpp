#pragma once

#include <filesystem>
#include <functional>
#include <opencv2/imgcodecs.hpp>

#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::readers::testing {

/// A grey picture with these values, as PNG or JPEG by the name's ending.
inline std::filesystem::path write_grey(const std::filesystem::path& file, int height, int width,
                                        const std::function<int(int, int)>& value) {
  cv::Mat matrix(height, width, CV_8UC1);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) matrix.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(value(y, x));
  }
  std::vector<std::uint8_t> bytes;
  cv::imencode(file.extension().string(), matrix, bytes);
  return write_raw(file, bytes);
}

/// A picture of one colour.
inline std::filesystem::path write_colour(const std::filesystem::path& file, int height, int width, int red, int green,
                                          int blue) {
  std::vector<std::uint8_t> bytes;
  cv::imencode(file.extension().string(), cv::Mat(height, width, CV_8UC3, cv::Scalar(blue, green, red)), bytes);
  return write_raw(file, bytes);
}

}  // namespace moblo::lab::readers::testing
