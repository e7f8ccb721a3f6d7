#include "moblo/base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace moblo::base {
namespace {

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& file, ErrorKind kind) : name_(file.string()), kind_(kind) {
    // O_NONBLOCK: opening a pipe that nobody writes would wait. It has no effect on regular files.
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0) refuse(fmt::format("cannot be opened: {}", reason()), "Check the path and its permissions");
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  void refuse_unless(FileKind accepted) {
    struct stat found {};
    if (::fstat(descriptor_, &found) != 0) refuse(fmt::format("cannot be read: {}", reason()), "Check the disk");
    if (S_ISREG(found.st_mode)) return;
    if (S_ISDIR(found.st_mode)) refuse("is a folder, a file was expected", "Check the path");
    if (accepted == FileKind::regular) refuse("is a pipe or a device, a file was expected", "Check the path");
    ::fcntl(descriptor_, F_SETFL, 0);  // whoever names a pipe waits for it
  }

  std::size_t read(char* to, std::size_t bytes) {
    while (true) {
      const auto count = ::read(descriptor_, to, bytes);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) refuse(fmt::format("cannot be read: {}", reason()), "Check the disk");
    }
  }

  [[noreturn]] void refuse(const std::string& rule, const std::string& next) const {
    throw Error(kind_, name_, rule, next);
  }

 private:
  static std::string reason() { return std::generic_category().message(errno); }

  std::string name_;
  ErrorKind kind_;
  int descriptor_ = -1;
};

}  // namespace

std::string read_file(const std::filesystem::path& file, ErrorKind kind, FileKind accepted, std::uint64_t most_bytes) {
  OpenFile in(file, kind);
  in.refuse_unless(accepted);
  std::string text;
  char block[1 << 16];
  while (const auto count = in.read(block, sizeof block)) {
    if (text.size() + count > most_bytes) {
      in.refuse(fmt::format("is longer than {} MB, the most that is read of such a file", most_bytes >> 20), "");
    }
    text.append(block, count);
  }
  return text;
}

}  // namespace moblo::base
