#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace moblo::records {

/// A file that is written to at its end, through a buffer. Interrupted calls are repeated, and after a failed one
/// nothing is written twice.
class AppendFile {
 public:
  AppendFile() = default;
  /// Error(io) where it cannot be opened; a pipe that nobody reads is refused too.
  explicit AppendFile(std::filesystem::path file);
  /// What was appended since the last flush() is written where that is possible.
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;

  void append(std::string_view bytes);
  /// Hands buffered bytes to the operating system; Error(io) where the disk is full.
  void flush();
  /// The same, and on to the disk.
  void sync();

 private:
  void swap(AppendFile& other) noexcept;

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::string buffer_;
};

}  // namespace moblo::records
