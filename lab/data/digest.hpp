#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace moblo::lab::data {

/// SHA-256 of bytes that come one after another.
class Digest {
 public:
  Digest();
  ~Digest();
  void add(const void* bytes, std::size_t count);
  /// Once, at the end.
  std::string text();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// SHA-256 in lower-case hexadecimal digits.
std::string sha256(std::span<const std::uint8_t> bytes);

std::string sha256(std::string_view text);

/// Of a file's bytes as they are, whatever its size.
std::string sha256_of_file(const std::filesystem::path& file);

/// Of a list of indices, as little-endian 64-bit integers: tells whether two runs drew the same samples.
std::string sha256(const std::vector<std::int64_t>& indices);

}  // namespace moblo::lab::data
