#include "moblo/records/line_tail.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace moblo::records {
namespace {

/// 0 for whatever is no regular file.
std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(file, failure);
  return failure ? 0 : size;
}

/// A regular file, open for reading; any other kind counts as one that cannot be opened.
class OpenRecords {
 public:
  explicit OpenRecords(const std::filesystem::path& file)
      // O_NONBLOCK: by now a pipe may stand where a file stood, and opening one that nobody writes would wait.
      : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat found {};
    readable_ = descriptor_ >= 0 && ::fstat(descriptor_, &found) == 0 && S_ISREG(found.st_mode);
  }
  ~OpenRecords() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenRecords(const OpenRecords&) = delete;
  OpenRecords& operator=(const OpenRecords&) = delete;

  std::string read(std::uintmax_t offset, std::size_t bytes) const {
    std::string text(readable_ ? bytes : 0, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
      const auto count =
          ::pread(descriptor_, text.data() + size, text.size() - size, static_cast<off_t>(offset + size));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      size += static_cast<std::size_t>(count);
    }
    text.resize(size);
    return text;
  }

 private:
  int descriptor_;
  bool readable_ = false;
};

}  // namespace

bool LineTail::was_cut() const {
  return size_of(file_) < offset_;
}

std::size_t LineTail::read(std::size_t most_bytes, const std::function<void(std::string_view)>& use) {
  const auto size = size_of(file_);
  if (size <= offset_) return 0;
  const auto text =
      OpenRecords(file_).read(offset_, static_cast<std::size_t>(std::min<std::uintmax_t>(size - offset_, most_bytes)));
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    use(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  // One line longer than all that may be read at a time is none of ours.
  if (begin == 0 && text.size() == most_bytes) begin = text.size();
  offset_ += begin;
  return begin;
}

std::string last_lines(const std::filesystem::path& file, std::size_t most_bytes) {
  const auto size = size_of(file);
  const auto offset = size > most_bytes ? size - most_bytes : 0;
  auto text = OpenRecords(file).read(offset, static_cast<std::size_t>(size - offset));
  text.resize(text.rfind('\n') + 1);
  if (offset > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

}  // namespace moblo::records
