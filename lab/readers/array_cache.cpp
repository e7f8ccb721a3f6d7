#include "lab/readers/array_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lab/data/dataset_store.hpp"
#include "lab/data/digest.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

namespace fs = std::filesystem;

/// Nothing where one of them is missing or different.
std::optional<std::vector<records::StoredTensor>> in_layout(records::TensorFile entry,
                                                            const std::vector<ArrayLayout>& layout) {
  std::vector<records::StoredTensor> arrays;
  for (const auto& wanted : layout) {
    const auto found =
        std::find_if(entry.tensors.begin(), entry.tensors.end(), [&](const records::StoredTensor& tensor) {
          return tensor.name == wanted.name && tensor.dtype == wanted.dtype && tensor.shape == wanted.shape;
        });
    if (found == entry.tensors.end()) return {};
    arrays.push_back(std::move(*found));
  }
  return arrays;
}

/// Nothing where there is no such entry, or a bad one.
std::optional<std::vector<records::StoredTensor>> read_entry(const fs::path& file, const Json& key,
                                                             const std::vector<ArrayLayout>& layout,
                                                             std::vector<std::string>& notes) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  try {
    records::TensorFile entry = records::read_tensor_file(file, /*require_checksum=*/true);
    if (entry.state == key) {
      if (auto arrays = in_layout(std::move(entry), layout)) return arrays;
    }
    notes.push_back(fmt::format("{}: is not what its name says. It is made again", file.string()));
  } catch (const Error& error) {
    notes.push_back(fmt::format("{} It is made again", error.what()));
  }
  return {};
}

void write_entry(const fs::path& file, const records::TensorFile& entry, std::vector<std::string>& notes) {
  try {
    fs::create_directories(file.parent_path());
    records::write_tensor_file(file, entry);
  } catch (const std::exception& error) {  // Error(io), or the file system's own
    notes.push_back(fmt::format("{} It will be made again next time", error.what()));
  }
}

}  // namespace

ArrayCache::ArrayCache(fs::path folder) : folder_(std::move(folder)) {}

fs::path ArrayCache::default_folder() {
  return data::user_cache() / "arrays";
}

std::vector<records::StoredTensor> ArrayCache::get(const std::string& name, const Json& key,
                                                   const std::vector<ArrayLayout>& layout,
                                                   const std::function<std::vector<records::StoredTensor>()>& make,
                                                   std::vector<std::string>& notes) const {
  const fs::path file =
      folder_ / fmt::format("{}-{}.safetensors", name, data::sha256(std::string_view(key.dump())).substr(0, 16));
  if (auto arrays = read_entry(file, key, layout, notes)) return std::move(*arrays);
  records::TensorFile made{make(), key};
  write_entry(file, made, notes);
  return std::move(made.tensors);
}

}  // namespace moblo::lab::readers
