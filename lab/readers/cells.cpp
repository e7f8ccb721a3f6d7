#include "lab/readers/cells.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace moblo::lab::readers {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return same_word(text, word); });
}

}  // namespace

bool is_in(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool same_word(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() &&
         std::equal(text.begin(), text.end(), lower_case.begin(),
                    [](unsigned char a, char b) { return std::tolower(a) == static_cast<unsigned char>(b); });
}

bool is_missing(std::string_view cell) {
  return cell.empty() || (cell.size() <= 4 && is_one_of(cell, {"?", "na", "n/a", "nan", "null"}));
}

const char* parse_number(std::string_view cell, float& value) {
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  if (begin == end) return "is empty";
  if (*begin == '+') ++begin;
  auto [stop, problem] = std::from_chars(begin, end, value);
  if (problem == std::errc::result_out_of_range && stop == end) {
    double wide = 0;
    problem = std::from_chars(begin, end, wide).ec;
    const bool tiny =
        problem == std::errc() ? std::abs(wide) < 1 : cell.find("e-") != cell.npos || cell.find("E-") != cell.npos;
    if (!tiny) return "is beyond the range of single precision";
    value = static_cast<float>(wide);
    return nullptr;
  }
  if (problem != std::errc() || stop != end) return "is not a number";
  return std::isfinite(value) ? nullptr : "is not finite";
}

bool parse_flag(std::string_view text, bool& flag) {
  const bool yes = is_one_of(text, {"1", "true", "yes"});
  if (!yes && !is_one_of(text, {"0", "false", "no"})) return false;
  flag = yes;
  return true;
}

}  // namespace moblo::lab::readers
