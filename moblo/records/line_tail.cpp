#include "moblo/records/line_tail.hpp"

#include <algorithm>
#include <fstream>

namespace moblo::records {
namespace {

std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(file, failure);
  return failure ? 0 : size;
}

std::string read_part(const std::filesystem::path& file, std::uintmax_t offset, std::size_t bytes) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  std::string text(bytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

}  // namespace

bool LineTail::was_cut() const {
  return size_of(file_) < offset_;
}

std::size_t LineTail::read(std::size_t most_bytes, const std::function<void(std::string_view)>& use) {
  const auto size = size_of(file_);
  if (size <= offset_) return 0;
  const auto text =
      read_part(file_, offset_, static_cast<std::size_t>(std::min<std::uintmax_t>(size - offset_, most_bytes)));
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
  auto text = read_part(file, offset, static_cast<std::size_t>(size - offset));
  text.resize(text.rfind('\n') + 1);
  if (offset > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

}  // namespace moblo::records
