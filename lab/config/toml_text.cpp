#include "lab/config/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace moblo::lab::config {
namespace {

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

bool is_bare_key(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

std::string_view without_byte_order_mark(std::string_view text) {
  return text.substr(text.starts_with("\xef\xbb\xbf") ? 3 : 0);
}

/// The bytes of the letter that the text begins with; 0 where that is not UTF-8.
std::size_t letter_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool no_letter = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
  return overlong || no_letter ? 0 : length;
}

/// Where the text stops being UTF-8: its size where it does not.
std::size_t end_of_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = letter_length(text.substr(i));
    if (length == 0) break;
    i += length;
  }
  return i;
}

/// Where the string that begins at `begin` ends: one past its closing quotes, or at the end of the line or text where
/// it has none.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string mark(text.substr(begin, 3) == std::string(3, quote) ? 3 : 1, quote);
  for (std::size_t i = begin + mark.size(); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text.substr(i, mark.size()) == mark) {
      auto end = i + mark.size();  // of five quotes the first two belong to the text
      for (int extra = 0; mark.size() == 3 && extra < 2 && end < text.size() && text[end] == quote; ++extra) ++end;
      return end;
    } else if (text[i] == '\n' && mark.size() == 1) {
      return i;
    }
  }
  return text.size();
}

/// Where a key has one part too many: the text's size where none has. Numbers with a dot look like keys of two parts.
/// Beyond a place that is not TOML it may err: toml++ stops there.
std::size_t end_of_short_keys(std::string_view text) {
  int dots = 0;
  bool part = false;  // of a key, since the last dot
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = end_of_string(text, i);
      part = true;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (is_bare_key(c)) {
      part = true;
    } else if (c == '.' && part) {
      part = false;
      if (++dots >= most_key_parts) return i;
    } else if (c != ' ' && c != '\t') {
      dots = 0;
      part = false;
    }
    ++i;
  }
  return text.size();
}

/// How often a character may come to stand in strings: as it is, or as \u007e.
std::size_t uses_of(char c, std::string_view text) {
  auto uses = static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
  const std::string digits = fmt::format("00{:02x}", static_cast<unsigned char>(c));
  const auto same = [](char a, char b) { return a == (b >= 'A' && b <= 'F' ? b - 'A' + 'a' : b); };
  for (std::size_t i = 0; i + digits.size() <= text.size(); ++i) {
    uses += std::equal(digits.begin(), digits.end(), text.begin() + static_cast<std::ptrdiff_t>(i), same);
  }
  return uses;
}

/// One time more of a character than the text can bring together, whatever its escapes and line ends do: no string has
/// it by chance.
std::string mark_for(std::string_view text) {
  std::string shortest;
  for (const char c : {'~', '^', '|', '`', '@', '$'}) {  // not in toml++'s own messages
    const std::size_t length = uses_of(c, text) + 1;
    if (shortest.empty() || length < shortest.size()) shortest.assign(length, c);
    if (shortest.size() == 1) break;
  }
  return shortest;
}

std::size_t bytes_beyond_ascii(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_ascii(c); }));
}

/// Lines and columns count from 1.
std::size_t offset_of(std::string_view text, std::int64_t line, std::int64_t column) {
  std::size_t begin = 0;
  for (std::int64_t i = 1; i < line; ++i) begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  return std::min(begin + static_cast<std::size_t>(std::max<std::int64_t>(column, 1) - 1), text.size());
}

constexpr std::size_t longest_ascii = 256 << 20;  // beyond it files of megabytes of nothing but marks and letters

}  // namespace

std::optional<TomlFault> fault_in_toml(std::string_view text) {
  const auto fault = [&](std::size_t at, const std::string& rule) {
    return TomlFault{1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'), rule};
  };
  if (const auto end = end_of_utf8(text); end < text.size()) return fault(end, "is not UTF-8 text");
  if (const auto end = end_of_short_keys(text); end < text.size()) {
    return fault(end, fmt::format("has a key of more than {} parts", most_key_parts));
  }
  const std::size_t bytes = bytes_beyond_ascii(text);
  if (bytes > 0 && (mark_for(text).size() + 2) * bytes > longest_ascii) {
    return fault(text.size(), "has too many letters beyond ASCII");
  }
  return std::nullopt;
}

AsciiToml::AsciiToml(std::string_view utf8) {
  utf8 = without_byte_order_mark(utf8);
  if (bytes_beyond_ascii(utf8) > 0) mark_ = mark_for(utf8);
  for (const char c : utf8) {
    if (is_ascii(c)) {
      text_ += c;
    } else {
      text_ += mark_;
      fmt::format_to(std::back_inserter(text_), "{:02x}", static_cast<unsigned char>(c));
    }
  }
}

std::string AsciiToml::original(std::string_view parsed) const {
  if (mark_.empty()) return std::string(parsed);
  std::string text;
  while (!parsed.empty()) {
    // A character of the mark that stands before it is the text's own: the mark ends where digits follow.
    unsigned byte = 0;
    const char* digits = parsed.data() + std::min(mark_.size(), parsed.size());
    const char* end = parsed.data() + std::min(mark_.size() + 2, parsed.size());
    if (parsed.starts_with(mark_) && end - digits == 2 && std::from_chars(digits, end, byte, 16).ptr == end) {
      text += static_cast<char>(byte);
      parsed.remove_prefix(mark_.size() + 2);
    } else {
      text += parsed.front();
      parsed.remove_prefix(1);
    }
  }
  return text;
}

std::string AsciiToml::about_file(std::string_view message, std::int64_t line, std::int64_t column) const {
  if (mark_.empty()) return std::string(message);
  const std::string_view rest = std::string_view(text_).substr(offset_of(text_, line, column));
  if (rest.starts_with(mark_)) return "a letter beyond ASCII is out of place";
  const bool shown = message.find(mark_) != std::string_view::npos;
  return std::string(shown ? message.substr(0, message.find(" '")) : message);  // words stand before what it quotes
}

}  // namespace moblo::lab::config
