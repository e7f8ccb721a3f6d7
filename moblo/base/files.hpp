#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "moblo/base/error.hpp"
#include "moblo/base/export.hpp"

namespace moblo::base {

enum class FileKind {
  regular,         ///< what a program wrote: a pipe there would be waited for without end
  regular_or_pipe  ///< what a user names on the command line; /dev/stdin and the shell's <(...) are pipes
};

/// Memory for a text that is read whole.
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 30;

/// The whole file. Throws Error(kind) where it is missing, a folder, of another kind, longer than `most_bytes`, or
/// cannot be read. A symbolic link is followed.
MOBLO_API std::string read_file(const std::filesystem::path& file, ErrorKind kind,
                                FileKind accepted = FileKind::regular, std::uint64_t most_bytes = most_text_bytes);

}  // namespace moblo::base
