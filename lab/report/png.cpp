#include "lab/report/png.hpp"

#include <zlib.h>

#include "moblo/base/error.hpp"

namespace moblo::lab::report {
namespace {

std::string big_endian(std::uint64_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>((value >> shift) & 0xff);
  return text;
}

/// Length, type, data, and the CRC of the last two.
std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(data.size()) + body + big_endian(sum);
}

std::string deflated(const std::string& data) {
  uLongf length = compressBound(data.size());
  std::string out(length, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &length, reinterpret_cast<const Bytef*>(data.data()), data.size(),
                Z_BEST_COMPRESSION) != Z_OK) {
    throw Error(ErrorKind::io, "an image", "could not be compressed", "Is there memory left?");
  }
  out.resize(length);
  return out;
}

}  // namespace

std::string png(std::int64_t height, std::int64_t width, std::int64_t channels,
                const std::vector<std::uint8_t>& pixels) {
  const auto stride = static_cast<std::size_t>(width * channels);
  std::string rows;
  for (std::int64_t y = 0; y < height; ++y) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(pixels.data()) + static_cast<std::size_t>(y) * stride, stride);
  }
  const std::string depth_colour{'\x08', static_cast<char>(channels == 3 ? 2 : 0), '\0', '\0', '\0'};
  const auto size = big_endian(static_cast<std::uint64_t>(width)) + big_endian(static_cast<std::uint64_t>(height));
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", size + depth_colour) + chunk("IDAT", deflated(rows)) + chunk("IEND", "");
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = (group << 8) | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k <= bytes.size() ? letters[(group >> (18 - 6 * k)) & 63] : '=';
    }
  }
  return text;
}

}  // namespace moblo::lab::report
