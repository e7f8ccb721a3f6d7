#include "lab/clean/feature_store.hpp"

#include <fmt/format.h>

#include "lab/readers/array_cache.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::int64_t digits = 64;

/// Nothing where the arrays are not what write() writes.
bool take_rows(const std::vector<records::StoredTensor>& arrays, std::int64_t width, FeatureStore::Rows& rows) {
  if (arrays.size() != 2 || arrays[0].name != "digests" || arrays[1].name != "features") return false;
  if (arrays[0].dtype != "U8" || arrays[0].shape.size() != 2 || arrays[0].shape[1] != digits) return false;
  const auto count = arrays[0].shape[0];
  if (arrays[1].dtype != "F32" || arrays[1].shape != std::vector<std::int64_t>{count, width}) return false;
  const auto names = readers::array_values<char>(arrays[0]);
  const auto values = readers::array_values<float>(arrays[1]);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto first = values.begin() + i * width;
    rows.emplace(std::string(names.data() + i * digits, digits), std::vector<float>(first, first + width));
  }
  return true;
}

}  // namespace

FeatureStore::Rows FeatureStore::read(const std::string& shelf, std::vector<std::string>& notes) const {
  Rows rows;
  std::error_code ignored;
  const auto file = file_of(shelf);
  if (!std::filesystem::exists(file, ignored)) return rows;
  try {
    if (take_rows(records::read_tensor_file(file, /*require_checksum=*/true).tensors, width_, rows)) return rows;
    notes.push_back(fmt::format("{}: is not what its name says. Its features are made again", file.string()));
  } catch (const Error& error) {
    notes.push_back(fmt::format("{} Its features are made again", error.what()));
  }
  return {};
}

void FeatureStore::write(const std::string& shelf, const Rows& rows, std::vector<std::string>& notes) const {
  std::vector<char> names;
  std::vector<float> values;
  for (const auto& [digest, row] : rows) {
    names.insert(names.end(), digest.begin(), digest.end());
    values.insert(values.end(), row.begin(), row.end());
  }
  const auto count = static_cast<std::int64_t>(rows.size());
  try {
    std::filesystem::create_directories(folder_);
    records::write_tensor_file(file_of(shelf), {{readers::stored_array({"digests", "U8", {count, digits}}, names),
                                                 readers::stored_array({"features", "F32", {count, width_}}, values)},
                                                Json::object()});
  } catch (const std::exception& error) {  // Error(io), or the file system's own
    notes.push_back(fmt::format("{} These features will be made again next time", error.what()));
  }
}

}  // namespace moblo::lab::clean
