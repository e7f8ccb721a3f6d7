#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "moblo/record/tensor_file.hpp"

namespace moblo {

/// Arrays that are dear to make and cheap to read, one file an entry. An entry is found by a key that must cover all
/// that it is a function of (checksums of the files, sizes, weights). Written atomically with a CRC-32 that is compared
/// when it is read: a damaged entry is made again, and the notes say so. A cache that cannot be written only costs
/// time.
class ArrayCache {
 public:
  /// `folder` may not exist yet.
  explicit ArrayCache(std::filesystem::path folder);

  /// $XDG_CACHE_HOME/moblo/arrays, or ~/.cache/moblo/arrays. Never in MOBLO_DATA, which may be another's.
  static std::filesystem::path default_folder();

  /// The entry `name`, or what `make` returns, which is then kept. `accept` tells whether what was read has the
  /// names, types and shapes that are needed. Notes tell what was made or found damaged.
  TensorFile get(const std::string& name, const Json& key, const std::function<bool(const TensorFile&)>& accept,
                 const std::function<TensorFile()>& make, std::vector<std::string>& notes) const;

 private:
  std::filesystem::path folder_;
};

/// Copies values into, and out of, the bytes of a stored array.
template <class T>
StoredTensor stored_array(std::string name, std::string dtype, std::vector<std::int64_t> shape,
                          const std::vector<T>& values) {
  const auto* start = reinterpret_cast<const std::byte*>(values.data());
  return {std::move(name), std::move(dtype), std::move(shape), {start, start + values.size() * sizeof(T)}};
}

template <class T>
std::vector<T> array_values(const StoredTensor& array) {
  const auto* start = reinterpret_cast<const T*>(array.bytes.data());
  return {start, start + array.bytes.size() / sizeof(T)};
}

}  // namespace moblo
