#pragma once

#include <cstdint>
#include <vector>

namespace moblo::lab::clean {

/// A small picture for a page: grey or red-green-blue, row by row. Without height: it could not be read.
struct Thumbnail {
  std::int64_t height = 0, width = 0, channels = 1;
  std::vector<std::uint8_t> pixels;
};

}  // namespace moblo::lab::clean
