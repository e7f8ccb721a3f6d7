#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "moblo/base/error.hpp"

namespace moblo::records {

/// Error(io) with the reason the operating system gave (an errno value).
Error io_error(const std::filesystem::path& path, const std::string& action, int reason);

/// Writes the pieces one after another beside `file`, fsyncs, renames over it, fsyncs the folder. A symbolic link
/// stays, and what it leads to is replaced; a device or a pipe is written to.
void write_atomically(const std::filesystem::path& file, const std::vector<std::span<const std::byte>>& pieces);

/// False, too, where the answer is refused; the read or write that follows says why.
bool is_present(const std::filesystem::path& path);

/// Whether its name is one that write_atomically() gives to what it writes beside a file.
bool is_temporary(const std::filesystem::path& file);

/// Until this returns, a power failure may take back what was written; afterwards it may not.
void sync_to_disk(const std::filesystem::path& file_or_folder);

/// Pieces of the above, for a file that stays open; interrupted calls are repeated.
int open_descriptor(const std::filesystem::path& file, int flags);
/// Returns how many bytes were written, at least one.
std::size_t write_some(int descriptor, std::span<const std::byte> bytes, const std::filesystem::path& file);
void sync_descriptor(int descriptor, const std::filesystem::path& file);

}  // namespace moblo::records
