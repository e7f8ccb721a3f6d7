#pragma once

#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::readers {

/// What an array of an entry must be.
struct ArrayLayout {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
};

/// Arrays that are slow to make and fast to read, one file per entry. An entry is found by a key that must cover all
/// that it is a function of (checksums of the files, sizes, weights). Written atomically with a CRC-32 that is compared
/// when it is read: a damaged entry is made again, and the notes say so. A cache that cannot be written only costs
/// time.
class ArrayCache {
 public:
  /// `folder` may not exist yet.
  explicit ArrayCache(std::filesystem::path folder);

  /// $XDG_CACHE_HOME/moblo/arrays, or ~/.cache/moblo/arrays. Never in MOBLO_DATA, which may be another's.
  static std::filesystem::path default_folder();

  /// The arrays of an entry, in the order of `layout`; or what `make` returns, in the same order, which is then kept.
  /// Notes tell what was found damaged, or could not be kept.
  std::vector<records::StoredTensor> get(const std::string& name, const Json& key,
                                         const std::vector<ArrayLayout>& layout,
                                         const std::function<std::vector<records::StoredTensor>()>& make,
                                         std::vector<std::string>& notes) const;

 private:
  std::filesystem::path folder_;
};

/// Copies values into, and out of, the bytes of a stored array.
template <class T>
records::StoredTensor stored_array(const ArrayLayout& layout, const std::vector<T>& values) {
  const auto* start = reinterpret_cast<const std::byte*>(values.data());
  return {layout.name, layout.dtype, layout.shape, {start, start + values.size() * sizeof(T)}};
}

template <class T>
std::vector<T> array_values(const records::StoredTensor& array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  std::memcpy(values.data(), array.bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace moblo::lab::readers
