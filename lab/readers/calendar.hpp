#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace moblo::lab::readers {

/// How a date of three numbers without the year in front is meant: 5/3/2024 is in March or in May.
enum class DateOrder { day_first, month_first };

constexpr auto enum_names(DateOrder) {
  return std::array{std::pair{"day_first", DateOrder::day_first}, std::pair{"month_first", DateOrder::month_first}};
}

struct Moment {
  std::int64_t days = 0;  ///< since 1970-01-01
  std::int64_t year = 1970;
  unsigned month = 1, day = 1;
  double hour = 0;           ///< of the day, with minutes and seconds
  bool has_hour = false;     ///< whether the text tells it
  bool day_led = false;      ///< three numbers between slashes, of which only the first can be no month
  unsigned weekday() const;  ///< 0 is Monday
  double season() const;     ///< share of the year that is over, in [0, 1)
};

/// 2024-03-05, 2024/3/5, 20240305T101500, 5.3.2024, 3/5/2024, 5 Mar 2024, March 5, 2024; each may be followed by a time
/// (T or a blank, 10:15, 10:15:30.5, am or pm, Z or an offset, which is not counted). False for anything else.
bool parse_moment(std::string_view text, DateOrder order, Moment& moment);

}  // namespace moblo::lab::readers
