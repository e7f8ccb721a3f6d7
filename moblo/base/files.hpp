#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "moblo/base/error.hpp"
#include "moblo/base/export.hpp"

namespace moblo::base {

enum class FileKind {
  regular,         ///< what a program wrote: a pipe there would be waited for without end
  regular_or_pipe  ///< what a user names on the command line; /dev/stdin and the shell's <(...) are pipes
};

/// Reads a file from front to back. A symbolic link is followed. Throws Error(kind) where the file is missing, a
/// folder, of another kind, or cannot be read.
class MOBLO_API FileReader {
 public:
  FileReader(const std::filesystem::path& file, ErrorKind kind, FileKind accepted = FileKind::regular);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  /// The next bytes, at most `most`; false, and none, at the end.
  bool read(std::string& block, std::size_t most);
  [[noreturn]] void refuse(const std::string& rule, const std::string& next) const;

 private:
  std::string name_;
  ErrorKind kind_;
  int descriptor_ = -1;
  std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();  ///< about; of a pipe nobody knows
};

/// Memory for a text that is read whole.
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 30;

/// The whole file; Error(kind), besides, where it is longer than `most_bytes`.
MOBLO_API std::string read_file(const std::filesystem::path& file, ErrorKind kind,
                                FileKind accepted = FileKind::regular, std::uint64_t most_bytes = most_text_bytes);

}  // namespace moblo::base
