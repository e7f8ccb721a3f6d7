#include "moblo/records/event_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cctype>
#include <chrono>

#include "moblo/base/error.hpp"
#include "moblo/base/files.hpp"

namespace moblo::records {
namespace {

namespace fs = std::filesystem;

template <class Number>
std::string little_endian(Number value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(Number); ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) value = value << 8 | static_cast<unsigned char>(*byte);
  return value;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}

/// A field of a protocol buffer: its number and wire type (0 varint, 1 eight bytes, 2 counted bytes, 5 four bytes).
std::string key(unsigned number, unsigned type) {
  return varint(number << 3 | type);
}

std::string integer_field(unsigned number, std::int64_t value) {
  return key(number, 0) + varint(static_cast<std::uint64_t>(value));
}

std::string double_field(unsigned number, double value) {
  return key(number, 1) + little_endian(std::bit_cast<std::uint64_t>(value));
}

std::string float_field(unsigned number, float value) {
  return key(number, 5) + little_endian(std::bit_cast<std::uint32_t>(value));
}

std::string bytes_field(unsigned number, std::string_view bytes) {
  return key(number, 2) + varint(bytes.size()) + std::string(bytes);
}

/// Event: 1 wall_time, 2 step, 3 file_version, 5 summary, 7 session_log.
std::string event(double wall_time, std::int64_t step, const std::string& what) {
  return double_field(1, wall_time) + (step != 0 ? integer_field(2, step) : "") + what;
}

/// Summary: repeated 1 value; Value: 1 tag, 2 simple_value, 4 image.
std::string summary_value(const std::string& tag, const std::string& value) {
  return bytes_field(1, bytes_field(1, tag) + value);
}

/// Reflected polynomial 0x1EDC6F41.
constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ (rest & 1 ? 0x82f63b78U : 0U);
    table[i] = rest;
  }
  return table;
}();

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "localhost";
  for (char* c = name; *c != '\0'; ++c) {
    if (!std::isalnum(static_cast<unsigned char>(*c)) && *c != '-' && *c != '.') *c = '_';
  }
  return *name != '\0' ? name : "localhost";
}

/// Two starts within a second get two files, in the order in which TensorBoard reads them: by name.
fs::path free_name(const fs::path& folder) {
  auto seconds = static_cast<std::int64_t>(now());
  const auto host = host_name();
  const auto named = [&] { return folder / fmt::format("events.out.tfevents.{}.{}", seconds, host); };
  std::error_code ignored;
  while (fs::exists(named(), ignored)) ++seconds;
  return named();
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) crc = (crc >> 8) ^ crc_table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  crc ^= 0xffffffffU;
  return std::rotr(crc, 15) + 0xa282ead8U;
}

std::string tf_record(std::string_view bytes) {
  const auto length = little_endian(static_cast<std::uint64_t>(bytes.size()));
  return length + little_endian(masked_crc32c(length)) + std::string(bytes) + little_endian(masked_crc32c(bytes));
}

std::string version_event(double wall_time) {
  return event(wall_time, 0, bytes_field(3, "brain.Event:2"));
}

std::string start_event(double wall_time, std::int64_t step) {
  constexpr std::int64_t start = 1;  // SessionLog: 1 status
  return event(wall_time, step, bytes_field(7, integer_field(1, start)));
}

std::string scalar_event(double wall_time, std::int64_t step, const Scalars& scalars) {
  std::string values;
  for (const auto& [tag, value] : scalars) values += summary_value(tag, float_field(2, static_cast<float>(value)));
  return event(wall_time, step, bytes_field(5, values));
}

std::string image_event(double wall_time, std::int64_t step, const std::string& tag, std::int64_t height,
                        std::int64_t width, std::int64_t channels, std::string_view png) {
  const auto image =
      integer_field(1, height) + integer_field(2, width) + integer_field(3, channels) + bytes_field(4, png);
  return event(wall_time, step, bytes_field(5, summary_value(tag, bytes_field(4, image))));
}

void check_event_file(const fs::path& file) {
  constexpr std::size_t length_bytes = 8, crc_bytes = 4;
  const auto text = base::read_file(file, ErrorKind::data);
  std::string_view rest = text;
  const auto right = [](std::string_view bytes, std::string_view crc) {
    return little_endian(masked_crc32c(bytes)) == crc.substr(0, crc_bytes);
  };
  while (rest.size() >= length_bytes + crc_bytes) {
    const auto length = from_little_endian(rest.substr(0, length_bytes));
    const auto refuse = [&] {
      throw Error(ErrorKind::data, file.string(),
                  fmt::format("the record at byte {} does not fit its checksum", text.size() - rest.size()),
                  "Delete the file: TensorBoard alone reads it");
    };
    if (!right(rest.substr(0, length_bytes), rest.substr(length_bytes))) refuse();
    const auto after = rest.substr(length_bytes + crc_bytes);
    if (length > after.size() || after.size() - length < crc_bytes) return;
    if (!right(after.substr(0, length), after.substr(length))) refuse();
    rest = after.substr(length + crc_bytes);
  }
}

EventFile::EventFile(const fs::path& folder, std::int64_t first_step) : path_(free_name(folder)), out_(path_) {
  write(version_event(now()));
  if (first_step > 0) write(start_event(now(), first_step));
}

void EventFile::write(const std::string& bytes) {
  out_.append(tf_record(bytes));
}

void EventFile::add(std::int64_t step, const Scalars& scalars) {
  if (!scalars.empty()) write(scalar_event(now(), step, scalars));
}

void EventFile::add_image(std::int64_t step, const std::string& tag, std::int64_t height, std::int64_t width,
                          std::int64_t channels, std::string_view png) {
  write(image_event(now(), step, tag, height, width, channels, png));
}

void EventFile::flush() {
  out_.flush();
}

}  // namespace moblo::records
