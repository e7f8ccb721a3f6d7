#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace moblo::lab::data {

using Bytes = std::vector<std::uint8_t>;

/// What `packed` bytes may become when they are decompressed: 64 MB, or a hundred times as many. Deflate could make a
/// thousand of one; data that people keep are far from it, and a small file must not fill the memory.
constexpr std::uint64_t most_unpacked(std::uint64_t packed) {
  constexpr std::uint64_t always = 1ULL << 26, times = 100;
  return packed > always / times ? times * packed : always;
}

/// Throws Error(data) where there is no file of that name, or a folder, a pipe, a device.
void refuse_unless_file(const std::filesystem::path& file);

/// What a folder holds, sorted. Throws Error(io) where it cannot be listed.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// The content of a file piece by piece, decompressed where it starts with gzip's magic number. Throws Error(data) or
/// Error(io); Error(data), too, beyond most_unpacked().
class FilePieces {
 public:
  explicit FilePieces(const std::filesystem::path& file);
  ~FilePieces();
  /// Fills `to`; with less than it takes at the end only.
  std::size_t read(std::span<std::uint8_t> to);
  bool compressed() const;
  std::uint64_t packed() const;  ///< size of the file as it is stored

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
};

/// The content of a file, decompressed where it starts with gzip's magic number. Memory grows with what is really
/// there, in small pieces, and never beyond `limit`, whatever a header or a compressor claims. `limit_from` may lower
/// the limit once the first bytes are known (an IDX header says how long the file is). Reading stops one byte past the
/// limit, so that the caller can tell "too long" from "just right". Throws Error(data) or Error(io); Error(data), too,
/// beyond most_unpacked().
Bytes read_file_bytes(const std::filesystem::path& file, std::uint64_t limit,
                      const std::function<std::uint64_t(const Bytes&)>& limit_from = {});

}  // namespace moblo::lab::data
