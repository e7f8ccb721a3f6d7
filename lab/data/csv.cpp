#include "lab/data/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <set>
#include <span>

#include "lab/data/problems.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::data {
namespace {

constexpr std::uint64_t largest_text = 1ULL << 32;

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

CsvText::CsvText(std::string_view text, char separator)
    : at_(text.data()), end_(text.data() + text.size()), separator_(separator) {}

bool CsvText::next(std::vector<std::string_view>& cells) {
  cells.clear();
  unescaped_.clear();
  fault_.clear();
  if (at_ == end_) return false;
  ++row_;
  while (true) {
    cells.push_back(at_ < end_ && *at_ == '"' ? quoted_cell(cells.size()) : plain_cell(cells.size()));
    if (at_ == end_) return true;
    const char stop = *at_++;
    if (stop == separator_) continue;
    if (stop == '\r' && at_ < end_ && *at_ == '\n') ++at_;
    return true;
  }
}

void CsvText::fail(std::size_t column, const char* rule) {
  if (fault_.empty()) fault_ = fmt::format("column {}: {}", column + 1, rule);
}

std::string_view CsvText::plain_cell(std::size_t column) {
  const char* start = at_;
  bool quote = false;
  for (; at_ < end_ && *at_ != separator_ && *at_ != '\n' && *at_ != '\r'; ++at_) quote |= *at_ == '"';
  if (quote) fail(column, "a quote stands within a cell that does not begin with one");
  return {start, static_cast<std::size_t>(at_ - start)};
}

std::string_view CsvText::quoted_cell(std::size_t column) {
  const char* start = ++at_;
  std::string* copy = nullptr;
  while (true) {
    const auto* quote = static_cast<const char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
    if (!quote) {
      fail(column, "the quote that opens here is never closed");
      at_ = end_;
      return {};
    }
    at_ = quote + 1;
    const bool doubled = at_ < end_ && *at_ == '"';
    if (doubled || copy) {
      if (!copy) copy = &unescaped_.emplace_back();
      copy->append(start, quote + (doubled ? 1 : 0));
    }
    if (!doubled) {
      const std::string_view cell =
          copy ? std::string_view(*copy) : std::string_view(start, static_cast<std::size_t>(quote - start));
      if (at_ < end_ && *at_ != separator_ && *at_ != '\n' && *at_ != '\r') {
        fail(column, "text follows the closing quote");
        plain_cell(column);
      }
      return cell;
    }
    start = ++at_;
  }
}

void refuse_zero_bytes(std::span<const std::uint8_t> bytes, const std::string& file) {
  if (bytes.empty() || !std::memchr(bytes.data(), 0, bytes.size())) return;
  throw Error(ErrorKind::data, file, "is not text: it holds zero bytes", "Check the name, or say --format");
}

std::size_t refuse_unless_text(std::span<const std::uint8_t> start, const std::string& file) {
  const auto begins = [&](std::initializer_list<std::uint8_t> mark) {
    return start.size() >= mark.size() && std::equal(mark.begin(), mark.end(), start.begin());
  };
  if (begins({0xFF, 0xFE}) || begins({0xFE, 0xFF})) {
    throw Error(ErrorKind::data, file, "is text in UTF-16", "Save it as UTF-8");
  }
  refuse_zero_bytes(start, file);
  return begins({0xEF, 0xBB, 0xBF}) ? 3 : 0;
}

TextFile::TextFile(const std::filesystem::path& file) : bytes_(read_file_bytes(file, largest_text)) {
  const std::string name = file.string();
  if (bytes_.size() > largest_text) {
    throw Error(ErrorKind::data, name,
                fmt::format("is longer than {} bytes, the longest text that is read", largest_text),
                "Divide it, or save it as npz");
  }
  start_ = refuse_unless_text(bytes_, name);
  if (trimmed(text()).empty()) throw Error(ErrorKind::data, name, "is empty", "Give a file with rows");
}

std::string_view TextFile::text() const {
  return {reinterpret_cast<const char*>(bytes_.data()) + start_, bytes_.size() - start_};
}

char separator_of(std::string_view text) {
  const std::array<char, 3> candidates{',', ';', '\t'};
  std::array<int, 3> count{};
  bool within_quotes = false;
  for (const char c : text) {
    if (c == '"') within_quotes = !within_quotes;
    if (within_quotes) continue;
    if (c == '\n' || c == '\r') break;
    for (std::size_t i = 0; i < candidates.size(); ++i) count[i] += c == candidates[i];
  }
  return candidates[static_cast<std::size_t>(std::max_element(count.begin(), count.end()) - count.begin())];
}

std::vector<std::string> read_header(CsvText& records, const std::string& file) {
  std::vector<std::string_view> cells;
  records.next(cells);
  return column_names(cells, records.fault(), file);
}

std::vector<std::string> column_names(const std::vector<std::string_view>& cells, const std::string& fault,
                                      const std::string& file) {
  const std::string next = "Write the names of the columns into the first row";
  if (!fault.empty()) throw Error(ErrorKind::data, file, "row 1, " + fault, "Fix the quotes");
  std::vector<std::string> names;
  for (const auto cell : cells) names.emplace_back(trimmed(cell));
  if (std::all_of(names.begin(), names.end(), [](const auto& name) { return is_number(name); })) {
    throw Error(ErrorKind::data, file, "row 1 holds numbers only, so that there is no header", next);
  }
  Problems problems(file);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    // what pandas writes before the index of a table is a first column without a name
    if (names[i].empty() && i > 0) problems.add(fmt::format("row 1, column {}: the name is missing", i + 1));
    if (!names[i].empty() && !seen.insert(names[i]).second) {
      problems.add(fmt::format("row 1, column {}: {} names a column already", i + 1, in_quotes(names[i])));
    }
  }
  problems.refuse_if_any(next);
  return names;
}

}  // namespace moblo::lab::data
