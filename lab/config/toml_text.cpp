#include "lab/config/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace moblo::lab::config {
namespace {

bool is_bare_key(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
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

}  // namespace

std::optional<TomlFault> fault_in_toml(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  int dots = 0;
  bool part = false;  // of a key, since the last dot
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const auto fault = [&](const std::string& rule) {
      const auto here = text.begin() + static_cast<std::ptrdiff_t>(i);
      return TomlFault{1 + std::count(text.begin(), here, '\n'), rule};
    };
    const bool opens = c == '"' || c == '\'' || c == '[' || c == '{';
    if (opens && i > 0 && std::string_view(" \t\r\n=[,{.").find(text[i - 1]) == std::string_view::npos) {
      return fault("has a quote or a bracket right behind a word");  // toml++ takes it for part of the word
    }
    if (c == '"' || c == '\'') {
      i = end_of_string(text, i);
      part = true;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (static_cast<unsigned char>(c) >= 0x80) return fault("has a letter beyond ASCII outside of quotes");
    if (is_bare_key(c)) {
      part = true;
    } else if (c == '.' && part) {
      part = false;
      if (++dots >= most_key_parts) return fault(fmt::format("has a key of more than {} parts", most_key_parts));
    } else if (c != ' ' && c != '\t') {
      dots = 0;
      part = false;
    }
    ++i;
  }
  return std::nullopt;
}

}  // namespace moblo::lab::config
