#include "moblo/base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace moblo::base {
namespace {

constexpr std::uint64_t smallest_block = 1 << 12;

std::string reason() {
  return std::generic_category().message(errno);
}

/// Empty where it is accepted.
std::string objection(mode_t mode, FileKind accepted) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "is a folder, a file was expected";
  return accepted == FileKind::regular ? "is a pipe or a device, a file was expected" : "";
}

}  // namespace

FileReader::FileReader(const std::filesystem::path& file, ErrorKind kind, FileKind accepted)
    : name_(file.string()), kind_(kind) {
  // O_NONBLOCK: opening a pipe that nobody writes would wait. It has no effect on regular files.
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) refuse(fmt::format("cannot be opened: {}", reason()), "Check the path and its permissions");
  struct stat found {};
  const auto rule = ::fstat(descriptor_, &found) != 0 ? fmt::format("cannot be read: {}", reason())
                                                      : objection(found.st_mode, accepted);
  if (!rule.empty()) {
    ::close(descriptor_);
    refuse(rule, "Check the path");
  }
  if (S_ISREG(found.st_mode)) {
    left_ = static_cast<std::uint64_t>(found.st_size);
  } else {
    ::fcntl(descriptor_, F_SETFL, 0);  // whoever names a pipe waits for it
  }
}

FileReader::~FileReader() {
  ::close(descriptor_);
}

bool FileReader::read(std::string& block, std::size_t most) {
  // Clearing a long block takes longer than reading a short file. One that grows meanwhile is read in small blocks.
  block.resize(std::min<std::uint64_t>(most, std::max(left_, smallest_block)));
  ssize_t count;
  do {
    count = ::read(descriptor_, block.data(), block.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) refuse(fmt::format("cannot be read: {}", reason()), "Check the disk");
  block.resize(static_cast<std::size_t>(count));
  left_ -= std::min<std::uint64_t>(left_, block.size());
  return count > 0;
}

void FileReader::refuse(const std::string& rule, const std::string& next) const {
  throw Error(kind_, name_, rule, next);
}

std::string read_file(const std::filesystem::path& file, ErrorKind kind, FileKind accepted, std::uint64_t most_bytes) {
  FileReader in(file, kind, accepted);
  std::string text, block;
  while (in.read(block, 1 << 16)) {
    if (text.size() + block.size() > most_bytes) {
      in.refuse(fmt::format("is longer than {} bytes, the most that is read of such a file", most_bytes),
                "Give a shorter one");
    }
    text += block;
  }
  return text;
}

}  // namespace moblo::base
