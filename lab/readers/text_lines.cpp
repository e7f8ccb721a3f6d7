#include "lab/readers/text_lines.hpp"

#include <charconv>
#include <cmath>

namespace moblo::lab::readers {
namespace {

template <class T>
bool parse(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::vector<TextLine> lines_of(std::string_view text) {
  std::vector<TextLine> lines;
  for (std::int64_t row = 1; !text.empty(); ++row) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({row, line});
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t start = line.find_first_not_of(blank); start != line.npos;) {
    const std::size_t end = line.find_first_of(blank, start);
    words.push_back(line.substr(start, end - start));
    start = end == line.npos ? end : line.find_first_not_of(blank, end);
  }
  return words;
}

bool parse_double(std::string_view text, double& value) {
  return parse(text, value) && std::isfinite(value);
}

bool parse_whole(std::string_view text, std::int64_t& value) {
  return parse(text, value);
}

}  // namespace moblo::lab::readers
