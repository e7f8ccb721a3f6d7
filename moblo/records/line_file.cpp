#include "moblo/records/line_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <string_view>

#include "moblo/base/error.hpp"
#include "moblo/base/files.hpp"
#include "moblo/records/atomic_file.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_scanner.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::records {
namespace {

constexpr const char* remedy = "`moblo verify` says what is good; restore the file from a copy, or run it again";

constexpr std::size_t longest_line = 64 << 20;  // of a run with millions of objectives; a longer one is none of ours

struct Line {
  std::string_view text;
  std::int64_t number = 0;
};

/// The complete lines of a file of any length, one at a time; what follows the last newline is no line yet.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& file) : in_(file, ErrorKind::data) {}

  /// The text is good until the next call.
  std::optional<Line> next() {
    auto end = text_.find('\n', begin_);
    while (end == std::string::npos) {
      const auto searched = text_.size() - begin_;
      text_.erase(0, begin_);
      begin_ = 0;
      if (!in_.read(block_, 1 << 20)) return std::nullopt;
      if (text_.size() > longest_line) {
        in_.refuse(fmt::format("line {} is longer than {} bytes", number_ + 1, longest_line), remedy);
      }
      text_ += block_;
      end = text_.find('\n', searched);
    }
    const Line line{std::string_view(text_).substr(begin_, end - begin_), ++number_};
    begin_ = end + 1;
    return line;
  }

 private:
  base::FileReader in_;
  std::string text_, block_;
  std::size_t begin_ = 0;
  std::int64_t number_ = 0;
};

std::string place(const std::filesystem::path& file, std::int64_t number) {
  return fmt::format("{}:{}", file.string(), number);
}

std::string without_full_stop(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  return text;
}

[[noreturn]] void refuse_line(const std::filesystem::path& file, std::int64_t number) {
  throw Error(ErrorKind::data, place(file, number), "is not JSON, though lines follow it", remedy);
}

template <class Use>
void use_at(const std::string& given, const Json& json, const char* next, const Use& use) {
  try {
    use(json);
  } catch (const Error& error) {
    throw Error(ErrorKind::data, given, without_full_stop(error.what()), next);
  }
}

/// Empty for a line that is not JSON.
std::optional<std::int64_t> iteration_of(const std::filesystem::path& file, const Line& line) {
  if (const auto k = scan_iteration(line.text)) return k;
  const auto json = base::parse_json(line.text);
  if (json.is_discarded()) return std::nullopt;
  static const std::string what = "record";
  std::int64_t k = 0;
  use_at(place(file, line.number), json, remedy, [&k](const Json& record) { k = Fields(record, what).integer("k"); });
  return k;
}

/// The first complete line that begins at or after a byte, and where it begins.
std::optional<std::pair<std::uintmax_t, std::string>> first_line_from(const std::filesystem::path& file,
                                                                      std::uintmax_t byte) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  auto begin = byte;
  if (byte > 0) {  // a line begins here where the byte before ends one
    in.seekg(static_cast<std::streamoff>(byte - 1));
    if (!std::getline(in, line)) return std::nullopt;
    begin = byte - 1 + line.size() + 1;
  }
  if (!std::getline(in, line) || in.eof()) return std::nullopt;
  return std::pair(begin, line);
}

Digest digest_before(const std::filesystem::path& file, std::int64_t next_k) {
  Digest kept;
  LineReader lines(file);
  while (const auto line = lines.next()) {
    const auto number = line->number;
    const auto k = iteration_of(file, *line);
    if (!k && lines.next()) refuse_line(file, number);
    if (!k || *k >= next_k) break;
    kept.add(line->text);
    kept.add("\n");
  }
  return kept;
}

}  // namespace

std::string read_text(const std::filesystem::path& file) {
  return base::read_file(file, ErrorKind::data);
}

void write_document(const std::filesystem::path& file, const Json& document) {
  write_text_atomically(file, with_checksum(document));
}

void read_document(const std::filesystem::path& file, const std::function<void(const Json&)>& use) {
  constexpr const char* next = "Restore it from a copy, or run again";
  const auto json = base::parse_json(read_text(file));
  if (json.is_discarded()) throw Error(ErrorKind::data, file.string(), "is not JSON, or nested too deeply", next);
  if (!checksum_is_right(json)) {
    throw Error(ErrorKind::data, file.string(), "was changed after it was written: its checksum is another", next);
  }
  use_at(file.string(), json, next, use);
}

void read_lines(const std::filesystem::path& file, const std::function<bool(std::string_view)>& use_text,
                const std::function<void(const Json&)>& use) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;
  LineReader lines(file);
  while (const auto line = lines.next()) {
    if (use_text(line->text)) continue;
    const auto json = base::parse_json(line->text);
    const auto number = line->number;
    if (!json.is_discarded()) {
      use_at(place(file, number), json, remedy, use);
    } else if (lines.next()) {
      refuse_line(file, number);
    }
  }
}

Digest cut_lines(const std::filesystem::path& file, std::int64_t next_k) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return {};
  const auto kept = digest_before(file, next_k);
  if (kept.bytes == std::filesystem::file_size(file, failure)) return kept;
  std::filesystem::resize_file(file, kept.bytes, failure);
  if (failure) throw io_error(file, "cannot be cut", failure.value());
  return kept;
}

std::optional<std::string> line_of_iteration(const std::filesystem::path& file, std::int64_t k) {
  std::error_code failure;
  std::uintmax_t low = 0, high = std::filesystem::file_size(file, failure);  // the line begins in [low, high)
  if (failure) return std::nullopt;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    const auto line = first_line_from(file, middle);
    const auto found = line ? iteration_of(file, {line->second, 0}) : std::nullopt;
    if (line && !found) return std::nullopt;
    if (found && *found == k) return line->second;
    if (!line || *found > k) {
      high = middle;
    } else {
      low = line->first + line->second.size() + 1;
    }
  }
  return std::nullopt;
}

}  // namespace moblo::records
