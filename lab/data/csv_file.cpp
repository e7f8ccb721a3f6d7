#include "lab/data/csv_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lab/data/problems.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::data {
namespace {

constexpr std::size_t small_piece = std::size_t{1} << 12, usual_piece = std::size_t{1} << 20,
                      longest_record = std::size_t{1} << 26;

}  // namespace

CsvFile::CsvFile(const std::filesystem::path& file, Digest* digest)
    : name_(file.string()),
      pieces_(file),
      digest_(digest),
      buffer_(std::clamp<std::size_t>(pieces_.packed() + 1, small_piece, usual_piece)),
      records_({}, ',') {
  begin();
}

void CsvFile::begin() {
  refill(0);
  const std::string_view text(reinterpret_cast<const char*>(buffer_.data()), filled_);
  const std::size_t mark = refuse_unless_text({buffer_.data(), filled_}, name_);
  const auto rest = text.substr(mark);
  if (ended_ && trimmed(rest).empty()) throw Error(ErrorKind::data, name_, "is empty", "Give a file with rows");
  separator_ = separator_of(rest);
  records_ = CsvText(rest, separator_);
  if (digest_) digest_->add(rest.data(), rest.size());
}

/// Keeps what is not read yet, and reads on behind it.
void CsvFile::refill(std::size_t unread) {
  const bool started = filled_ > 0;
  std::memmove(buffer_.data(), buffer_.data() + (filled_ - unread), unread);
  if (unread > buffer_.size() / 2 || (started && buffer_.size() < usual_piece)) {
    if (buffer_.size() >= longest_record) {
      throw Error(ErrorKind::data, name_, fmt::format("row {} is longer than {} MB", row_ + 1, longest_record >> 20),
                  "Look for a quote there that is never closed");
    }
    buffer_.resize(2 * buffer_.size());
  }
  const auto room = std::span(buffer_).subspan(unread);
  const std::size_t got = pieces_.read(room);
  ended_ = got < room.size();
  filled_ = unread + got;
  if (!started) return;
  refuse_zero_bytes(room.first(got), name_);
  if (digest_) digest_->add(room.data(), got);
  records_ = CsvText({reinterpret_cast<const char*>(buffer_.data()), filled_}, separator_);
}

bool CsvFile::next(std::vector<std::string_view>& cells) {
  while (true) {
    const std::size_t unread = records_.left();
    const bool any = records_.next(cells);
    if (ended_ && !any) return false;
    if (ended_ || records_.left() > 0) {
      ++row_;
      return true;
    }
    refill(unread);  // the record reaches to the end of what is here: there may be more of it
  }
}

std::vector<std::string> header_of(const std::filesystem::path& file) {
  CsvFile records(file);
  std::vector<std::string_view> cells;
  records.next(cells);
  return column_names(cells, records.fault(), file.string());
}

}  // namespace moblo::lab::data
