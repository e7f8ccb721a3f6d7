#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace moblo::lab::report {

/// A PNG file of 8 bits per channel; 1 channel is grey, 3 are red, green, blue. `pixels` row by row from the top.
std::string png(std::int64_t height, std::int64_t width, std::int64_t channels,
                const std::vector<std::uint8_t>& pixels);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace moblo::lab::report
