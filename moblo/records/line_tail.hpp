#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace moblo::records {

/// Reads a file that grows, from where it stopped last. What is no regular file (a pipe, a device) counts as empty.
class LineTail {
 public:
  explicit LineTail(std::filesystem::path file) : file_(std::move(file)) {}

  /// Calls use(line) for whole lines, until about `most_bytes` are read. Returns the bytes it went on by: 0 where there
  /// was nothing new.
  std::size_t read(std::size_t most_bytes, const std::function<void(std::string_view)>& use);
  /// Whether the file has become shorter than what was read of it.
  bool was_cut() const;
  void restart() { offset_ = 0; }

 private:
  std::filesystem::path file_;
  std::uintmax_t offset_ = 0;
};

/// The last whole lines of a file, at most `most_bytes` of them; none where it cannot be read.
std::string last_lines(const std::filesystem::path& file, std::size_t most_bytes);

}  // namespace moblo::records
