#include "moblo/records/line_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "moblo/records/atomic_file.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::records {
namespace {

constexpr std::size_t buffered_bytes = 1 << 16;
constexpr std::size_t most_taken_back = 4;  // a step that is undone has one record, and evaluations before and after

}  // namespace

LineWriter::LineWriter(std::filesystem::path file, const Digest& there) : file_(std::move(file)), digest_(there) {
  // O_NONBLOCK: a pipe in its place that nobody reads is refused, not waited for.
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor_ < 0) throw io_error(file_, "cannot be opened for writing", errno);
}

LineWriter::~LineWriter() {
  if (descriptor_ < 0) return;
  try {
    flush();
  } catch (const Error&) {
  }
  ::close(descriptor_);
}

LineWriter::LineWriter(LineWriter&& other) noexcept {
  swap(other);
}

LineWriter& LineWriter::operator=(LineWriter&& other) noexcept {
  LineWriter taken(std::move(other));
  swap(taken);
  return *this;
}

void LineWriter::swap(LineWriter& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(buffer_, other.buffer_);
  std::swap(digest_, other.digest_);
  std::swap(last_, other.last_);
}

Digest LineWriter::digest_before(std::int64_t next_k) const {
  const auto first = std::find_if(last_.begin(), last_.end(), [&](const auto& line) { return line.first >= next_k; });
  return first == last_.end() ? digest_ : first->second;
}

void LineWriter::append(std::int64_t k, const Json& record) {
  const auto line = dump_json(record) + '\n';
  last_.emplace_back(k, digest_);
  if (last_.size() > most_taken_back) last_.pop_front();
  digest_.add(line);
  buffer_ += line;
  if (buffer_.size() >= buffered_bytes) flush();
}

void LineWriter::flush() {
  // A failed write must not be repeated from its beginning: what is on the disk leaves the buffer at once.
  while (!buffer_.empty()) buffer_.erase(0, write_some(descriptor_, std::as_bytes(std::span(buffer_)), file_));
}

void LineWriter::sync() {
  flush();
  sync_descriptor(descriptor_, file_);
}

}  // namespace moblo::records
