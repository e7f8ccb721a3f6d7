#include "moblo/records/append_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "moblo/records/atomic_file.hpp"

namespace moblo::records {
namespace {

constexpr std::size_t buffered_bytes = 1 << 16;

}  // namespace

AppendFile::AppendFile(std::filesystem::path file)
    : file_(std::move(file)),
      // O_NONBLOCK: opening a pipe that nobody reads fails instead of waiting.
      descriptor_(open_descriptor(file_, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK)) {}

AppendFile::~AppendFile() {
  if (descriptor_ < 0) return;
  try {
    flush();
  } catch (const Error&) {
  }
  ::close(descriptor_);
}

AppendFile::AppendFile(AppendFile&& other) noexcept {
  swap(other);
}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  AppendFile taken(std::move(other));
  swap(taken);
  return *this;
}

void AppendFile::swap(AppendFile& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(buffer_, other.buffer_);
}

void AppendFile::append(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= buffered_bytes) flush();
}

void AppendFile::flush() {
  std::size_t written = 0;
  try {
    while (written < buffer_.size()) {
      written += write_some(descriptor_, std::as_bytes(std::span(buffer_).subspan(written)), file_);
    }
  } catch (const Error&) {
    buffer_.erase(0, written);
    throw;
  }
  buffer_.clear();
}

void AppendFile::sync() {
  flush();
  sync_descriptor(descriptor_, file_);
}

}  // namespace moblo::records
