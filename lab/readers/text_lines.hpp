#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace moblo::lab::readers {

/// A line as an editor counts it, from 1, without its end.
struct TextLine {
  std::int64_t row;
  std::string_view text;
};

/// All lines; a line end at the end of the text begins no further one.
std::vector<TextLine> lines_of(std::string_view text);

/// What blanks and tabs part.
std::vector<std::string_view> words_of(std::string_view line);

/// The whole text as a finite number, or false.
bool parse_double(std::string_view text, double& value);
bool parse_whole(std::string_view text, std::int64_t& value);

}  // namespace moblo::lab::readers
