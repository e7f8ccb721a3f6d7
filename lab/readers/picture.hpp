#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lab/data/file_bytes.hpp"

namespace moblo::lab::readers {

/// A larger image file is refused unread.
constexpr std::uint64_t largest_image_file = 1ULL << 28;

/// Eight bits per channel, row by row, red before green before blue.
struct Picture {
  std::int64_t height = 0, width = 0, channels = 1;
  data::Bytes pixels;
};

/// What an image file says of itself, checked as far as a decoder would not complain.
struct PictureHeader {
  enum class Format { png, jpeg, bmp } format = Format::png;
  std::int64_t height = 0, width = 0;
  bool colour = false;
  std::int64_t pixels_a_byte = 1;  ///< at most, in a file of this kind
};

/// Decoders fill the missing part of a truncated JPEG with grey and say nothing, and allocate what a header claims:
/// hence this check. Nothing and a reason in `why` for what is no whole PNG, JPEG or BMP of a reasonable size.
std::optional<PictureHeader> inspect_picture(const data::Bytes& content, std::string& why);

/// Decodes a whole image, upright (as its EXIF data say). Where it will be shrunk to `side` anyway, a large JPEG is
/// decoded at a fraction of its size, never below twice `side`.
std::optional<Picture> decode_picture(const data::Bytes& content, std::int64_t side, std::string& why);

/// Stretched to the size; area averages where a side shrinks, linear interpolation where it grows.
Picture resized(const Picture& picture, std::int64_t height, std::int64_t width);

/// Grey (ITU-R BT.601) or three channels.
Picture with_channels(const Picture& picture, std::int64_t channels);

}  // namespace moblo::lab::readers
