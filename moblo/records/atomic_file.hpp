#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "moblo/base/error.hpp"

namespace moblo::records {

/// Error(io) with the reason the operating system gave (an errno value).
Error io_error(const std::filesystem::path& path, const std::string& action, int reason);

/// Writes the pieces one after another beside `file`, fsyncs, renames over it, fsyncs the folder.
void write_atomically(const std::filesystem::path& file, const std::vector<std::span<const std::byte>>& pieces);

/// Until this returns, a power failure may take back what was written; afterwards it may not.
void sync_to_disk(const std::filesystem::path& file_or_folder);

}  // namespace moblo::records
