#include "lab/readers/calendar.hpp"

#include <array>
#include <cctype>
#include <chrono>
#include <utility>

#include "lab/readers/cells.hpp"

namespace moblo::lab::readers {
namespace {

constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                  "may",       "june",     "july",     "august",
                                                  "september", "october",  "november", "december"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// Reads a text from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool at_digit() const { return !rest_.empty() && is_digit(rest_[0]); }
  bool skip(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_blanks() {
    while (skip(' ')) {
    }
  }
  /// Digits, at most `most` of them; how many there were.
  std::size_t number(std::size_t most, std::int64_t& value) {
    std::size_t digits = 0;
    for (value = 0; digits < most && digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
      value = 10 * value + (rest_[digits] - '0');
    }
    rest_.remove_prefix(digits);
    return digits;
  }
  std::string_view word() {
    std::size_t letters = 0;
    while (letters < rest_.size() && is_letter(rest_[letters])) ++letters;
    const auto word = rest_.substr(0, letters);
    rest_.remove_prefix(letters);
    return word;
  }

 private:
  std::string_view rest_;
};

/// By its name or the first three letters of it; 0 for none.
std::int64_t month_called(std::string_view word) {
  for (std::size_t i = 0; i < months.size(); ++i) {
    if (same_word(word, months[i]) || same_word(word, months[i].substr(0, 3))) return static_cast<std::int64_t>(i) + 1;
  }
  return same_word(word, "sept") ? 9 : 0;
}

struct Parts {
  std::int64_t year = 0, month = 0, day = 0;
  bool day_led = false;
};

bool year_of_digits(std::size_t digits, std::int64_t& year) {
  if (digits == 2) year += year < 70 ? 2000 : 1900;
  return digits == 2 || digits == 4;
}

/// 05 Mar 2024, March 5, 2024
bool scan_named_month(Scanner& text, std::int64_t first, Parts& parts) {
  const bool day_first = first > 0;
  parts.day = first;
  parts.month = month_called(text.word());
  text.skip('.');
  if (parts.month == 0) return false;
  text.skip('-') || text.skip(' ');
  text.skip_blanks();
  if (!day_first && text.number(2, parts.day) == 0) return false;
  if (!day_first) text.skip(',');
  text.skip_blanks();
  return year_of_digits(text.number(4, parts.year), parts.year);
}

/// 20240305
bool scan_compact(std::int64_t year, Scanner& text, Parts& parts) {
  parts.year = year;
  return text.number(2, parts.month) == 2 && text.number(2, parts.day) == 2;
}

bool scan_date(Scanner& text, DateOrder order, Parts& parts) {
  if (!text.at_digit()) return scan_named_month(text, 0, parts);
  std::int64_t first = 0, second = 0;
  const auto digits = text.number(4, first);
  if (digits == 4 && text.at_digit()) return scan_compact(first, text, parts);
  const char mark = text.skip('-') ? '-' : text.skip('/') ? '/' : text.skip('.') ? '.' : ' ';
  if (mark != '/') text.skip_blanks();
  if (digits <= 2 && !text.at_digit()) return scan_named_month(text, first, parts);
  if (mark == ' ' || text.number(2, second) == 0 || !text.skip(mark)) return false;
  if (digits == 4) {
    parts.year = first, parts.month = second;
    return text.number(2, parts.day) > 0;
  }
  if (digits > 2) return false;
  const bool day_first = mark == '.' || first > 12 || (second <= 12 && order == DateOrder::day_first);
  parts.day_led = mark != '.' && first > 12;
  parts.day = day_first ? first : second;
  parts.month = day_first ? second : first;
  return year_of_digits(text.number(4, parts.year), parts.year);
}

/// 10:15, 10:15:30.5, 10:15 pm, 10:15Z, 10:15+01:00, and 101500
bool scan_time(Scanner& text, Moment& moment) {
  std::int64_t hour = 0, minute = 0, second = 0, ignored = 0;
  if (text.number(2, hour) == 0 || hour > 23) return false;
  const bool marked = text.skip(':');
  if (text.number(2, minute) != 2 || minute > 59) return false;
  if (marked ? text.skip(':') : text.at_digit()) {
    if (text.number(2, second) != 2 || second > 60) return false;
    if (text.skip('.') || text.skip(',')) text.number(12, ignored);
  }
  text.skip_blanks();
  if (const auto word = text.word(); same_word(word, "pm")) {
    hour = hour % 12 + 12;
  } else if (same_word(word, "am")) {
    hour %= 12;
  } else if (!word.empty() && !same_word(word, "z") && !same_word(word, "utc")) {
    return false;
  }
  if (text.skip('+') || text.skip('-')) {
    if (text.number(4, ignored) < 2 || (text.skip(':') && text.number(2, ignored) != 2)) return false;
  }
  moment.hour = static_cast<double>(hour) + static_cast<double>(minute) / 60 + static_cast<double>(second) / 3600;
  moment.has_hour = true;
  return true;
}

bool from_parts(const Parts& parts, Moment& moment) {
  if (parts.month < 1 || parts.month > 12 || parts.day < 1 || parts.year < 1) return false;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(parts.year)),
                                         std::chrono::month(static_cast<unsigned>(parts.month)),
                                         std::chrono::day(static_cast<unsigned>(parts.day))};
  if (!date.ok()) return false;
  moment.days = std::chrono::sys_days(date).time_since_epoch().count();
  moment.year = parts.year;
  moment.month = static_cast<unsigned>(parts.month);
  moment.day = static_cast<unsigned>(parts.day);
  moment.day_led = parts.day_led;
  return true;
}

}  // namespace

unsigned Moment::weekday() const {
  return std::chrono::weekday(std::chrono::sys_days(std::chrono::days(days))).iso_encoding() - 1;
}

double Moment::season() const {
  const std::chrono::sys_days start = std::chrono::year(static_cast<int>(year)) / 1 / 1;
  return static_cast<double>(days - start.time_since_epoch().count()) / 366;
}

bool parse_moment(std::string_view text, DateOrder order, Moment& moment) {
  if (text.size() < 6 || text.size() > 40) return false;
  moment = {};
  Scanner scanner(text);
  Parts parts;
  if (!scan_date(scanner, order, parts) || !from_parts(parts, moment)) return false;
  if (scanner.at_end()) return true;
  scanner.skip(',');
  if (!scanner.skip('T') && !scanner.skip(' ')) return false;
  scanner.skip_blanks();
  return scan_time(scanner, moment) && scanner.at_end();
}

}  // namespace moblo::lab::readers
