#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/data/dataset_catalogue.hpp"

namespace moblo::lab::data {

/// Where `get` puts datasets, one folder each, and where they are looked for first: MOBLO_DATA, or
/// $XDG_CACHE_HOME/moblo, or ~/.cache/moblo.
std::filesystem::path data_home();

/// $XDG_CACHE_HOME/moblo, or ~/.cache/moblo.
std::filesystem::path user_cache();

/// A file of `folder`, raw or with .gz; raw wins. Nothing where neither is there.
std::optional<std::filesystem::path> find_file(const std::filesystem::path& folder, const std::string& name);

/// The folder that holds every file of the dataset, or one of its layouts. With `data_directory`, which holds one
/// folder per dataset, only its folder counts: what the user names must not be replaced by something else. Otherwise
/// MOBLO_DATA, where that is set, then the user's cache, then the system's.
std::optional<std::filesystem::path> locate_dataset(const DatasetInfo& info, const std::string& data_directory = "");

/// The same, or Error(data) that says how to get it.
std::filesystem::path require_dataset(const DatasetInfo& info, const std::string& data_directory = "");

/// Commands that get a dataset by hand, one per line.
std::string how_to_get(const DatasetInfo& info);

struct FileCheck {
  std::filesystem::path file;
  std::string problem;  ///< empty where the file is the published one
};

/// Compares each file's decompressed content with the catalogue. Damaged and missing files are rows, not exceptions.
std::vector<FileCheck> verify_dataset(const DatasetInfo& info, const std::filesystem::path& folder);

/// All files of a folder as one checksum: SHA-256 of what `sha256sum` prints of them, sorted by their paths within it.
struct FolderDigest {
  std::int64_t files = 0;
  std::string sha256;
};
FolderDigest digest_folder(const std::filesystem::path& folder);

}  // namespace moblo::lab::data
