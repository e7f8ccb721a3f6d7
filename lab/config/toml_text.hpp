#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace moblo::lab::config {

constexpr int most_key_parts = 32;  ///< of a.b.c

struct TomlFault {
  std::int64_t line = 1;
  std::string rule;
};

/// What toml++ must not be given, in words: text that is not UTF-8, and keys of many parts. Its tables recurse, so that
/// a dotted key of 50,000 parts overflows the stack when they are walked or freed.
std::optional<TomlFault> fault_in_toml(std::string_view text);

/// UTF-8 text as ASCII for toml++, which is undefined on letters of U+00A1 to U+0499 where no letter may be (version
/// 3.3). Each byte beyond ASCII becomes a mark and two hexadecimal digits. The mark is made of a character that stands
/// in strings and comments only, so that toml++ refuses it where it would have to refuse the letter.
class AsciiToml {
 public:
  explicit AsciiToml(std::string_view utf8);

  const std::string& text() const { return text_; }
  /// What the file has, of a key or a string that toml++ gives.
  std::string original(std::string_view parsed) const;
  /// A message of toml++ about a place in text() as one about the file: no mark is in it.
  std::string about_file(std::string_view message, std::int64_t line, std::int64_t column) const;

 private:
  std::string mark_;  ///< empty where the text is ASCII
  std::string text_;
};

}  // namespace moblo::lab::config
