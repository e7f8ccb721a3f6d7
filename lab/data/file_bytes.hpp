#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace moblo::lab::data {

using Bytes = std::vector<std::uint8_t>;

/// The content of a file, decompressed where it starts with gzip's magic number. Memory grows with what is really
/// there, in small pieces, and never beyond `limit`, whatever a header or a compressor claims. `limit_from` may lower
/// the limit once the first bytes are known (an IDX header says how long the file is). Reading stops one byte past the
/// limit, so that the caller can tell "too long" from "just right". Throws Error(data) or Error(io).
Bytes read_file_bytes(const std::filesystem::path& file, std::uint64_t limit,
                      const std::function<std::uint64_t(const Bytes&)>& limit_from = {});

}  // namespace moblo::lab::data
