#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "lab/data/dataset_catalogue.hpp"

namespace moblo::lab::data {

/// Told what is tried and how it went.
using FetchLog = std::function<void(const std::string&)>;

/// Gets a dataset into `target`, from the first of its sources that gives every file with the right checksum. Nothing
/// appears in `target` before all files are verified. Error(data) that says how to get it by hand where none does.
void fetch_dataset(const DatasetInfo& info, const std::filesystem::path& target, const FetchLog& log);

/// The same from a folder of the user's.
void copy_dataset(const DatasetInfo& info, const std::filesystem::path& from, const std::filesystem::path& target);

}  // namespace moblo::lab::data
