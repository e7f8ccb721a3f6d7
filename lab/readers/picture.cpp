#include "lab/readers/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

namespace moblo::lab::readers {
namespace {

int reduction(const PictureHeader& header, std::int64_t side) {
  if (header.format != PictureHeader::Format::jpeg || side <= 0) return 1;
  for (const int factor : {8, 4, 2}) {
    if (std::min(header.height, header.width) / factor >= 2 * side) return factor;
  }
  return 1;
}

int reading_mode(bool colour, int factor) {
  switch (factor) {
    case 2:
      return colour ? cv::IMREAD_REDUCED_COLOR_2 : cv::IMREAD_REDUCED_GRAYSCALE_2;
    case 4:
      return colour ? cv::IMREAD_REDUCED_COLOR_4 : cv::IMREAD_REDUCED_GRAYSCALE_4;
    case 8:
      return colour ? cv::IMREAD_REDUCED_COLOR_8 : cv::IMREAD_REDUCED_GRAYSCALE_8;
    default:
      return colour ? cv::IMREAD_COLOR : cv::IMREAD_GRAYSCALE;
  }
}

Picture from_matrix(const cv::Mat& matrix) {
  Picture picture{matrix.rows, matrix.cols, matrix.channels(), {}};
  const cv::Mat whole = matrix.isContinuous() ? matrix : matrix.clone();
  picture.pixels.assign(whole.data, whole.data + whole.total() * whole.elemSize());
  return picture;
}

cv::Mat view(const Picture& picture) {
  return {static_cast<int>(picture.height), static_cast<int>(picture.width), CV_8UC(static_cast<int>(picture.channels)),
          const_cast<std::uint8_t*>(picture.pixels.data())};
}

/// One side at a time: cv::resize averages areas only where both sides shrink.
cv::Mat resized_side(const cv::Mat& matrix, int height, int width) {
  if (matrix.rows == height && matrix.cols == width) return matrix;
  const bool shrinks = height < matrix.rows || width < matrix.cols;
  cv::Mat out;
  cv::resize(matrix, out, cv::Size(width, height), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
  return out;
}

}  // namespace

std::optional<Picture> decode_picture(const data::Bytes& content, std::int64_t side, std::string& why) {
  const auto header = inspect_picture(content, why);
  if (!header) return {};
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::Mat matrix;
  try {
    matrix = cv::imdecode(content, reading_mode(header->colour, reduction(*header, side)));
  } catch (const cv::Exception& error) {
    why = fmt::format("cannot be decoded ({})", error.err);
    return {};
  }
  if (matrix.empty()) {
    why = "cannot be decoded: it is damaged, or of an unusual kind";
    return {};
  }
  if (matrix.channels() == 3) cv::cvtColor(matrix, matrix, cv::COLOR_BGR2RGB);
  return from_matrix(matrix);
}

Picture resized(const Picture& picture, std::int64_t height, std::int64_t width) {
  const auto rows = static_cast<int>(height), columns = static_cast<int>(width);
  const cv::Mat matrix = view(picture);
  const bool both_shrink = rows <= matrix.rows && columns <= matrix.cols;
  if (both_shrink) return from_matrix(resized_side(matrix, rows, columns));
  return from_matrix(resized_side(resized_side(matrix, rows, matrix.cols), rows, columns));
}

Picture with_channels(const Picture& picture, std::int64_t channels) {
  if (picture.channels == channels) return picture;
  Picture out{picture.height, picture.width, channels, {}};
  const auto pixels = static_cast<std::size_t>(picture.height * picture.width);
  out.pixels.reserve(pixels * static_cast<std::size_t>(channels));
  for (std::size_t i = 0; i < pixels; ++i) {
    if (channels == 3) {
      out.pixels.insert(out.pixels.end(), 3, picture.pixels[i]);
    } else {
      const auto* rgb = picture.pixels.data() + 3 * i;
      out.pixels.push_back(static_cast<std::uint8_t>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000));
    }
  }
  return out;
}

}  // namespace moblo::lab::readers
