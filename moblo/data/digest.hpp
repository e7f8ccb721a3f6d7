#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace moblo {

/// SHA-256 in lower-case hexadecimal digits.
std::string sha256(std::span<const std::uint8_t> bytes);

/// Of a list of indices, as little-endian 64-bit integers: tells whether two runs drew the same samples.
std::string sha256(const std::vector<std::int64_t>& indices);

}  // namespace moblo
