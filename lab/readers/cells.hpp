#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace moblo::lab::readers {

/// Empty, ?, NA, N/A, NaN or null, in any case.
bool is_missing(std::string_view cell);

/// What is wrong with a cell that is no finite float, or nothing. Values too small for a float are zero.
const char* parse_number(std::string_view cell, float& value);

/// 1/0, true/false, yes/no in any case; anything else leaves `flag` and returns false.
bool parse_flag(std::string_view text, bool& flag);

bool is_in(const std::vector<std::string>& list, std::string_view name);

/// In bytes of ASCII; the others stay.
bool same_word(std::string_view text, std::string_view lower_case);

}  // namespace moblo::lab::readers
