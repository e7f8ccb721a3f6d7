#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "lab/readers/picture.hpp"

namespace moblo::lab::readers {
namespace {

constexpr std::int64_t most_pixels = 1 << 26;
constexpr std::int64_t most_scans = 100;  ///< of a progressive JPEG; each goes over all pixels. Usual are ten
/// The most pixels that a byte of a whole file can stand for. PNG: deflate makes 1032 bytes of one, of up to 8 pixels.
/// JPEG: the first scan spends a bit on every block of 64. BMP: a run of 255 takes two bytes.
constexpr std::int64_t pixels_a_byte_of_png = 8 * 1032, pixels_a_byte_of_jpeg = 512, pixels_a_byte_of_bmp = 128;

std::int64_t big_endian(const data::Bytes& content, std::size_t at, std::size_t bytes) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | content[at + i];
  return value;
}

std::int64_t little_endian(const data::Bytes& content, std::size_t at, std::size_t bytes) {
  std::int64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | content[at + i];
  return value;
}

bool begins(const data::Bytes& content, std::string_view magic) {
  return content.size() >= magic.size() && std::memcmp(content.data(), magic.data(), magic.size()) == 0;
}

/// Walks from chunk to chunk, comparing checksums, to the one that ends every whole file.
bool has_whole_chunks(const data::Bytes& content) {
  for (std::size_t at = 8; at + 12 <= content.size();) {
    const auto length = static_cast<std::size_t>(big_endian(content, at, 4));
    if (length > content.size() - at - 12) return false;
    const auto sum = crc32(0, content.data() + at + 4, static_cast<unsigned>(length + 4));
    if (sum != static_cast<std::uint64_t>(big_endian(content, at + 8 + length, 4))) return false;
    if (std::memcmp(content.data() + at + 4, "IEND", 4) == 0) return true;
    at += 12 + length;
  }
  return false;
}

std::optional<PictureHeader> inspect_png(const data::Bytes& content, std::string& why) {
  if (content.size() < 33 || !has_whole_chunks(content)) {
    why = "is a truncated or damaged PNG";
    return {};
  }
  const int colour_type = content[25];
  PictureHeader header{PictureHeader::Format::png, big_endian(content, 20, 4), big_endian(content, 16, 4),
                       colour_type != 0 && colour_type != 4};
  header.pixels_a_byte = pixels_a_byte_of_png / std::max<std::int64_t>(content[24], 1);  // by bits per channel
  return header;
}

bool is_frame_marker(int marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

std::int64_t count_scans(const data::Bytes& content) {
  std::int64_t scans = 0;
  for (std::size_t at = 0; at + 1 < content.size(); ++at) scans += content[at] == 0xFF && content[at + 1] == 0xDA;
  return scans;
}

std::optional<PictureHeader> inspect_jpeg(const data::Bytes& content, std::string& why) {
  why = "is a truncated JPEG";
  const std::uint8_t end_of_image[2] = {0xFF, 0xD9};
  std::optional<PictureHeader> header;
  for (std::size_t at = 2; at + 4 <= content.size();) {
    if (content[at] != 0xFF) return {};
    const int marker = content[at + 1];
    if (marker == 0xFF) {  // fill byte
      ++at;
      continue;
    }
    const auto length = static_cast<std::size_t>(big_endian(content, at + 2, 2));
    if (is_frame_marker(marker) && at + 10 <= content.size()) {
      header = {PictureHeader::Format::jpeg, big_endian(content, at + 5, 2), big_endian(content, at + 7, 2),
                content[at + 9] != 1};
    }
    at += 2 + length;
    if (marker != 0xDA || !header) continue;  // the scan: compressed data follow
    const auto from = content.begin() + static_cast<std::ptrdiff_t>(std::min(at, content.size()));
    if (std::find_end(from, content.end(), end_of_image, end_of_image + 2) == content.end()) return {};
    if (count_scans(content) > most_scans) {
      why = "is a JPEG of more scans than are read";
      return {};
    }
    header->pixels_a_byte = pixels_a_byte_of_jpeg;
    return header;
  }
  return {};
}

std::optional<PictureHeader> inspect_bmp(const data::Bytes& content, std::string& why) {
  if (content.size() < 54) {
    why = "is a truncated BMP";
    return {};
  }
  const std::int64_t start = little_endian(content, 10, 4), bits = little_endian(content, 28, 2),
                     compression = little_endian(content, 30, 4);
  PictureHeader header{PictureHeader::Format::bmp,
                       std::abs(static_cast<std::int64_t>(static_cast<std::int32_t>(little_endian(content, 22, 4)))),
                       little_endian(content, 18, 4), true};
  if (little_endian(content, 14, 4) < 40 || bits < 1 || bits > 32 || compression > 3) {
    why = "is a BMP of an unknown kind, or damaged";
    return {};
  }
  const std::int64_t row = (header.width * bits + 31) / 32 * 4;
  const bool in_range = header.width <= most_pixels && header.height <= most_pixels;
  const bool plain = compression == 0 || compression == 3;  // 1 and 2 are run lengths
  if (plain && in_range && start + row * header.height > static_cast<std::int64_t>(content.size())) {
    why = "is a truncated BMP";
    return {};
  }
  header.pixels_a_byte = pixels_a_byte_of_bmp;
  return header;
}

}  // namespace

std::optional<PictureHeader> inspect_picture(const data::Bytes& content, std::string& why) {
  std::optional<PictureHeader> header;
  if (begins(content, "\x89PNG\r\n\x1a\n")) {
    header = inspect_png(content, why);
  } else if (begins(content, "\xff\xd8\xff")) {
    header = inspect_jpeg(content, why);
  } else if (begins(content, "BM")) {
    header = inspect_bmp(content, why);
  } else {
    why = content.empty() ? "is empty" : "is not a PNG, JPEG or BMP";
  }
  if (!header) return {};
  if (header->height < 1 || header->width < 1 || header->height > most_pixels / header->width) {
    why = fmt::format("claims {} x {} pixels; between 1 and {} pixels are read", header->width, header->height,
                      most_pixels);
    return {};
  }
  if (header->height * header->width / header->pixels_a_byte > static_cast<std::int64_t>(content.size())) {
    why = fmt::format("claims {} x {} pixels, more than its {} bytes can hold", header->width, header->height,
                      content.size());
    return {};
  }
  return header;
}

}  // namespace moblo::lab::readers
