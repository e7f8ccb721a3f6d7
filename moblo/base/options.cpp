#include "moblo/base/options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::base {

bool Range::contains(double value) const {
  return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
}

std::string Range::text() const {
  const bool bounded_below = std::isfinite(low), bounded_above = std::isfinite(high);
  if (bounded_below && bounded_above) {
    return fmt::format("{}{}, {}{}", low_open ? "(" : "[", low, high, high_open ? ")" : "]");
  }
  if (bounded_below) return fmt::format("{} {}", low_open ? ">" : ">=", low);
  if (bounded_above) return fmt::format("{} {}", high_open ? "<" : "<=", high);
  return "";
}

namespace reading {
namespace {

[[noreturn]] void refuse(const Json& value, const OptionPlace& place, const std::string& rule,
                         const std::string& next) {
  // Bytes of a command line need not be UTF-8; a refusal must not fail over them.
  const auto text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  throw Error(ErrorKind::config, fmt::format("{} = {}", place.text(), text), rule, next);
}

double checked(double number, const Json& value, const Range& range, const OptionPlace& place) {
  if (!std::isfinite(number)) {
    const std::string text = std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
    throw Error(ErrorKind::config, fmt::format("{} = {}", place.text(), text), "a finite number is needed",
                range.text().empty() ? "" : "Choose a value " + range.text());
  }
  if (!range.contains(number)) refuse(value, place, "is out of range", "Choose a value " + range.text());
  return number;
}

}  // namespace

bool read_bool(const Json& value, const OptionPlace& place) {
  if (!value.is_boolean()) refuse(value, place, "true or false is needed", "Write it without quotes");
  return value.get<bool>();
}

std::int64_t read_integer(const Json& value, const Range& range, const OptionPlace& place) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) checked(value.get<double>(), value, range, place);
  if (!value.is_number_integer()) {
    refuse(value, place, "a whole number is needed",
           range.text().empty() ? "Write it without quotes or point" : "Choose one " + range.text());
  }
  checked(value.get<double>(), value, range, place);
  return value.get<std::int64_t>();
}

double read_number(const Json& value, const Range& range, const OptionPlace& place) {
  if (!value.is_number()) {
    refuse(value, place, "a number is needed",
           range.text().empty() ? "Write it without quotes" : "Choose one " + range.text());
  }
  return checked(value.get<double>(), value, range, place);
}

std::string read_string(const Json& value, const OptionPlace& place) {
  if (!value.is_string()) refuse(value, place, "a string is needed", "Write it in quotes");
  return value.get<std::string>();
}

std::vector<double> read_numbers(const Json& value, const Range& range, const OptionPlace& place) {
  if (!value.is_array()) refuse(value, place, "a list of numbers is needed", "Write for example [0, 3]");
  std::vector<double> numbers;
  for (const auto& item : value) numbers.push_back(read_number(item, range, place));
  return numbers;
}

std::map<std::string, double> read_number_table(const Json& value, const Range& range, const OptionPlace& place) {
  if (!value.is_object()) refuse(value, place, "a table of numbers is needed", "Write for example { \"F1\" = 0.5 }");
  std::map<std::string, double> numbers;
  for (const auto& [key, item] : value.items()) numbers[key] = read_number(item, range, place.child(key));
  return numbers;
}

std::vector<std::string> read_strings(const Json& value, const OptionPlace& place) {
  if (!value.is_array()) refuse(value, place, "a list of strings is needed", "Write for example [\"mnist\"]");
  std::vector<std::string> strings;
  for (const auto& item : value) strings.push_back(read_string(item, place));
  return strings;
}

std::size_t read_choice(const Json& value, const std::vector<std::string>& names, const OptionPlace& place) {
  const std::string text = read_string(value, place);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return i;
  }
  refuse(value, place, fmt::format("is none of {}", join(names)), "Choose one of them");
}

void refuse_unless_table(const Json& value, const OptionPlace& place) {
  if (!value.is_object()) {
    refuse(value, place, "a table of options is needed",
           fmt::format("Write [{}] and the options below it", place.path));
  }
}

void refuse_unknown_key(const std::string& key, const std::vector<std::string>& known, const OptionPlace& place) {
  throw Error(ErrorKind::config, place.child(key).text(), "there is no such option", suggestion(key, known));
}

}  // namespace reading
}  // namespace moblo::base
