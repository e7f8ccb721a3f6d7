#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::records {

/// A named array in the safetensors format: little-endian, row-major, no framework's types.
struct StoredTensor {
  std::string name;
  std::string dtype;  ///< F16, F32, F64, I64, I32, U8, BOOL
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// One safetensors file. `state` is JSON that travels in the header's metadata, and a CRC-32 there covers names,
/// shapes, state and data: a flipped bit or a truncated file is found when it is read, and never reaches a model.
struct TensorFile {
  std::vector<StoredTensor> tensors;
  Json state = Json::object();
};

/// Written beside the target and renamed over it after fsync: the target is the old file or the new one, never a part.
void write_tensor_file(const std::filesystem::path& file, const TensorFile& content);

/// Throws Error(checkpoint) naming the file and what is wrong with it. A safetensors file of another program has no
/// CRC; it is read all the same unless `require_checksum`.
TensorFile read_tensor_file(const std::filesystem::path& file, bool require_checksum);

/// Its `state` alone, without a look at the tensors and the checksum.
Json read_tensor_state(const std::filesystem::path& file);

/// The same write-fsync-rename for a small text file.
void write_text_atomically(const std::filesystem::path& file, const std::string& text);

}  // namespace moblo::records
