#include "lab/readers/column_codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

#include "lab/data/problems.hpp"
#include "lab/readers/text_lines.hpp"
#include "lab/readers/word_counts.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

constexpr std::size_t most_categories = 1000;  // of one column
constexpr std::size_t most_frequent = 64;      // those that have an input of their own, where the others share one

/// Which texts of a column occur in these rows.
std::vector<bool> texts_of(const TableColumn& column, const RowNumbers& rows) {
  std::vector<bool> seen(column.texts.size(), false);
  for (const auto row : rows) seen[column.cells[static_cast<std::size_t>(row)]] = true;
  return seen;
}

double spread(ColumnKind kind, double value) {
  return kind == ColumnKind::amount ? std::log1p(value) : value;
}

/// The numbers that the texts of a column stand for; NaN where one is missing. False where a text is neither.
bool parse_column(const TableColumn& column, ColumnKind kind, const std::vector<bool>& counts,
                  std::vector<double>& numbers) {
  bool all = true;
  numbers.assign(column.texts.size(), std::nan(""));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!counts[i] || is_missing(column.texts[i])) continue;
    double value = 0;
    const bool number = parse_double(column.texts[i], value) && std::isfinite(static_cast<float>(value)) &&
                        (kind != ColumnKind::amount || value >= 0);
    all &= number;
    if (number) numbers[i] = spread(kind, value);
  }
  return all;
}

void refuse_other_texts(const Table& table, const TableColumn& column, ColumnKind kind, const std::vector<bool>& counts,
                        const std::vector<double>& numbers) {
  data::Problems problems(table.file);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!counts[i] || !std::isnan(numbers[i]) || is_missing(column.texts[i])) continue;
    problems.add(fmt::format("{}: {} is not a {}", table.place_of(column, static_cast<std::uint32_t>(i)),
                             data::in_quotes(column.texts[i]),
                             kind == ColumnKind::amount ? "number of at least 0" : "finite number"));
  }
  problems.refuse_if_any("Fix these cells, or make the column one of categories");
}

/// A number per row, NaN where there is none, whether the table holds numbers or texts.
class NumbersOfRows {
 public:
  NumbersOfRows(const Table& table, const TableColumn& column, ColumnKind kind, const std::vector<bool>& counts)
      : column_(column), kind_(kind) {
    if (column.of_numbers() || parse_column(column, kind, counts, of_texts_)) return;
    refuse_other_texts(table, column, kind, counts, of_texts_);
  }
  double at(std::size_t row) const {
    if (!column_.of_numbers()) return of_texts_[column_.cells[row]];
    const double value = column_.numbers[row];
    return kind_ == ColumnKind::amount && value < 0 ? std::nan("") : spread(kind_, value);
  }

 private:
  const TableColumn& column_;
  ColumnKind kind_;
  std::vector<double> of_texts_;
};

/// Mean and deviation in several passes: the difference of large squares would lose the digits of dates and the like.
void measure_numbers(const NumbersOfRows& numbers, const RowNumbers& training, ColumnCode& code) {
  const auto sum_over_rows = [&](const auto& term) {
    double sum = 0;
    for (const auto row : training) {
      const double value = numbers.at(static_cast<std::size_t>(row));
      if (!std::isnan(value)) sum += term(value);
    }
    return sum;
  };
  const double count = sum_over_rows([](double) { return 1.0; });
  code.missing = count < static_cast<double>(training.size()) && count > 0;
  double first = std::nan("");
  bool differ = false;
  for (const auto row : training) {
    const double value = numbers.at(static_cast<std::size_t>(row));
    if (std::isnan(value)) continue;
    if (std::isnan(first)) first = value;
    differ = differ || value != first;
  }
  if (!differ) return;
  code.mean = sum_over_rows([](double value) { return value; }) / count;
  code.mean += sum_over_rows([&](double value) { return value - code.mean; }) / count;
  code.deviation =
      std::sqrt(sum_over_rows([&](double value) { return (value - code.mean) * (value - code.mean); }) / count);
}

void write_numbers(const Table& table, const TableColumn& column, const ColumnCode& code, float* to, std::size_t stride,
                   std::int64_t* strays) {
  const NumbersOfRows numbers(table, column, code.kind, std::vector<bool>(column.texts.size(), true));
  if (strays && column.of_numbers()) *strays += column.facts->strays;
  for (std::size_t row = 0; row < table.size(); ++row, to += stride) {
    const double value = numbers.at(row);
    if (std::isnan(value)) {
      if (code.deviation > 0) to[0] = static_cast<float>(code.fill);
      if (code.missing) to[code.deviation > 0 ? 1 : 0] = 1;
    } else if (code.deviation > 0) {
      to[0] = static_cast<float>((value - code.mean) / code.deviation);
      if (std::isfinite(to[0])) continue;
      throw Error(ErrorKind::data, table.file,
                  fmt::format("row {}, column {}: {} is too far from the training rows for single precision",
                              table.rows[row], data::in_quotes(column.name), value),
                  "Fix the cell");
    }
  }
}

/// The place of each text's input; -1 for none.
std::vector<int> places_of(const TableColumn& column, const ColumnCode& code) {
  const auto& known = code.categories;
  const int first = code.missing ? 1 : 0;
  std::vector<int> places;
  for (const auto& text : column.texts) {
    const auto found = std::lower_bound(known.begin(), known.end(), text);
    if (is_missing(text)) {
      places.push_back(code.missing ? 0 : -1);
    } else if (found != known.end() && *found == text) {
      places.push_back(first + static_cast<int>(found - known.begin()));
    } else {
      places.push_back(code.rare ? first + static_cast<int>(known.size()) : -1);
    }
  }
  return places;
}

/// The inputs of a text are the same in all its rows.
template <class Write>
void write_by_text(const TableColumn& column, const ColumnCode& code, float* to, std::size_t stride,
                   const Write& write) {
  const std::size_t width = width_of(code);
  std::vector<float> inputs(column.texts.size() * width, 0);
  for (std::size_t i = 0; i < column.texts.size(); ++i) write(column.texts[i], inputs.data() + i * width);
  for (const auto cell : column.cells) {
    std::copy_n(inputs.data() + cell * width, width, to);
    to += stride;
  }
}

std::int64_t rows_with(const TableColumn& column, const std::vector<bool>& chosen) {
  return std::count_if(column.cells.begin(), column.cells.end(), [&](auto cell) { return chosen[cell]; });
}

void write_moment(const Moment& moment, const ColumnCode& code, float* to) {
  const double turn = 2 * std::acos(-1.0) * moment.season();
  const std::array<double, 7> values{static_cast<double>(moment.days),
                                     static_cast<double>(moment.year),
                                     static_cast<double>(moment.month),
                                     std::cos(turn),
                                     std::sin(turn),
                                     static_cast<double>(moment.weekday()),
                                     moment.hour};
  for (std::size_t i = 0; i < (code.hour ? 7U : 6U); ++i) to[i] = static_cast<float>(values[i]);
}

void write_dates(const TableColumn& column, const ColumnCode& code, float* to, std::size_t stride,
                 std::vector<bool>& unfit) {
  Moment usual;
  usual.days = static_cast<std::int64_t>(code.fill);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(usual.days))};
  usual.year = static_cast<int>(date.year());
  usual.month = static_cast<unsigned>(date.month());
  usual.hour = 12;
  std::size_t at = 0;
  write_by_text(column, code, to, stride, [&](const std::string& text, float* inputs) {
    Moment moment;
    const bool found = parse_moment(text, code.order, moment);
    unfit[at++] = !found && !is_missing(text);
    write_moment(found ? moment : usual, code, inputs);
    if (!found && code.missing) inputs[width_of(code) - 1] = 1;
  });
}

void write_booleans(const TableColumn& column, const ColumnCode& code, float* to, std::size_t stride,
                    std::vector<bool>& unfit) {
  std::size_t at = 0;
  write_by_text(column, code, to, stride, [&](const std::string& text, float* inputs) {
    const bool no = same_word(text, code.categories[0]), yes = same_word(text, code.categories[1]);
    unfit[at++] = !no && !yes && !is_missing(text);
    inputs[0] = yes ? 1.0F : no ? 0.0F : 0.5F;
    if (!yes && !no && code.missing) inputs[1] = 1;
  });
}

void write_categories(const TableColumn& column, const ColumnCode& code, float* to, std::size_t stride) {
  const auto places = places_of(column, code);
  for (const auto cell : column.cells) {
    if (places[cell] >= 0) to[places[cell]] = 1;
    to += stride;
  }
}

bool any_missing(const TableColumn& column, const std::vector<std::size_t>& uses) {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] > 0 && is_missing(column.texts[i])) return true;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> uses_of(const TableColumn& column, const RowNumbers& rows) {
  std::vector<std::size_t> uses(column.texts.size(), 0);
  for (const auto row : rows) ++uses[column.cells[static_cast<std::size_t>(row)]];
  return uses;
}

const std::pair<std::string_view, std::string_view>* boolean_words(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> known{
      {{"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}}};
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& pair) {
    return same_word(text, pair.first) || same_word(text, pair.second);
  });
  return found == known.end() ? nullptr : &*found;
}

std::size_t width_of(const ColumnCode& code) {
  const std::size_t missing = code.missing ? 1 : 0;
  switch (code.kind) {
    case ColumnKind::number:
    case ColumnKind::amount:
      return (code.deviation > 0 ? 1 : 0) + missing;
    case ColumnKind::category:
      return code.categories.size() + (code.rare ? 1 : 0) + missing;
    case ColumnKind::boolean:
      return 1 + missing;
    case ColumnKind::date:
      return (code.hour ? 7 : 6) + missing;
    case ColumnKind::text:
      return code.rarity.size();
  }
  return 0;
}

std::vector<std::string> features_of(const ColumnCode& code) {
  std::vector<std::string> names;
  const auto add_missing = [&] {
    if (code.missing) names.push_back(code.name + " missing");
  };
  if (code.kind == ColumnKind::category) {
    add_missing();
    for (const auto& category : code.categories) names.push_back(fmt::format("{} = {}", code.name, category));
    if (code.rare) names.push_back(code.name + " rare");
    return names;
  }
  if (code.of_numbers() && code.deviation > 0) names.push_back(code.name);
  if (code.kind == ColumnKind::boolean) names.push_back(code.name);
  if (code.kind == ColumnKind::date) {
    for (const auto* part : {"days", "year", "month", "season cos", "season sin", "weekday"}) {
      names.push_back(fmt::format("{} {}", code.name, part));
    }
    if (code.hour) names.push_back(code.name + " hour");
  }
  for (std::size_t i = 0; i < code.rarity.size(); ++i) names.push_back(fmt::format("{} words {}", code.name, i + 1));
  add_missing();
  return names;
}

bool says_nothing(const ColumnCode& code) {
  return code.kind == ColumnKind::category ? width_of(code) < 2 : width_of(code) == 0;
}

bool all_numbers(const TableColumn& column, const RowNumbers& training) {
  std::vector<double> numbers;
  const bool all = parse_column(column, ColumnKind::number, texts_of(column, training), numbers);
  return all && std::any_of(numbers.begin(), numbers.end(), [](double value) { return !std::isnan(value); });
}

ColumnCode fit_numbers(const Table& table, const TableColumn& column, ColumnKind kind, const RowNumbers& training,
                       bool as_they_are) {
  ColumnCode code;
  code.name = column.name;
  code.kind = kind;
  const auto counts = column.of_numbers() ? std::vector<bool>() : texts_of(column, training);
  measure_numbers(NumbersOfRows(table, column, kind, counts), training, code);
  if (as_they_are && code.deviation > 0) {
    code.fill = code.mean;
    code.mean = 0, code.deviation = 1;
  }
  return code;
}

ColumnCode fit_categories(const Table& table, const TableColumn& column, const RowNumbers& training) {
  ColumnCode code;
  code.name = column.name;
  code.kind = ColumnKind::category;
  std::set<std::string> known;
  const auto counts = texts_of(column, training);
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    if (!counts[i]) continue;
    is_missing(column.texts[i]) ? static_cast<void>(code.missing = true)
                                : static_cast<void>(known.insert(column.texts[i]));
  }
  if (known.size() > most_categories) {
    throw Error(ErrorKind::data, table.file,
                fmt::format("column {} has {} different texts, more than the {} that can be categories",
                            data::in_quotes(column.name), known.size(), most_categories),
                "Leave the column out");
  }
  code.categories.assign(known.begin(), known.end());
  return code;
}

ColumnCode fit_frequent_categories(const TableColumn& column, const RowNumbers& training) {
  const auto uses = uses_of(column, training);
  const std::size_t fewest = std::clamp<std::size_t>(training.size() / 100, 2, 10);
  std::vector<std::uint32_t> present(uses.size());
  std::iota(present.begin(), present.end(), 0U);
  std::erase_if(present, [&](auto text) { return uses[text] == 0 || is_missing(column.texts[text]); });
  std::sort(present.begin(), present.end(),
            [&](auto a, auto b) { return uses[a] != uses[b] ? uses[a] > uses[b] : column.texts[a] < column.texts[b]; });
  ColumnCode code;
  code.name = column.name;
  code.kind = ColumnKind::category;
  code.missing = any_missing(column, uses);
  for (const auto text : present) {
    code.rare = uses[text] < fewest || code.categories.size() == most_frequent;
    if (code.rare) break;
    code.categories.push_back(column.texts[text]);
  }
  std::sort(code.categories.begin(), code.categories.end());
  return code;
}

ColumnCode fit_booleans(const TableColumn& column, const RowNumbers& training) {
  ColumnCode code;
  code.name = column.name;
  code.kind = ColumnKind::boolean;
  code.missing = any_missing(column, uses_of(column, training));
  for (const auto& text : column.texts) {
    const auto* words = boolean_words(text);
    if (!words) continue;
    code.categories = {std::string(words->first), std::string(words->second)};
    break;
  }
  return code;
}

ColumnCode fit_dates(const TableColumn& column, const RowNumbers& training) {
  ColumnCode code;
  code.name = column.name;
  code.kind = ColumnKind::date;
  // 3/5/2024 is in March, unless the column has a date as 13/5/2024
  const bool told = std::any_of(column.texts.begin(), column.texts.end(), [](const std::string& text) {
    Moment moment;
    return parse_moment(text, DateOrder::month_first, moment) && moment.day_led;
  });
  code.order = told ? DateOrder::day_first : DateOrder::month_first;
  double days = 0, count = 0;
  const auto uses = uses_of(column, training);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    Moment moment;
    if (uses[i] == 0) continue;
    if (!parse_moment(column.texts[i], code.order, moment)) {
      code.missing = true;
      continue;
    }
    code.hour = code.hour || moment.has_hour;
    days += static_cast<double>(moment.days) * static_cast<double>(uses[i]);
    count += static_cast<double>(uses[i]);
  }
  code.fill = count > 0 ? std::floor(days / count) : 0;
  return code;
}

ColumnCode fit_words(const TableColumn& column, const RowNumbers& training) {
  ColumnCode code;
  code.name = column.name;
  code.kind = ColumnKind::text;
  WordStatistics words;
  for (const auto row : training) words.add(column.cell(static_cast<std::size_t>(row)));
  code.rarity = words.rarity();
  return code;
}

void encode_column(const Table& table, const TableColumn& column, const ColumnCode& code, float* to, std::size_t stride,
                   std::int64_t* strays) {
  std::vector<bool> unfit(column.texts.size(), false);
  if (code.of_numbers()) return write_numbers(table, column, code, to, stride, strays);
  if (code.kind == ColumnKind::category) write_categories(column, code, to, stride);
  if (code.kind == ColumnKind::boolean) write_booleans(column, code, to, stride, unfit);
  if (code.kind == ColumnKind::date) write_dates(column, code, to, stride, unfit);
  if (code.kind == ColumnKind::text) {
    for (std::size_t row = 0; row < table.size(); ++row) {
      weigh_words(column.cell(row), code.rarity, to + row * stride);
    }
  }
  if (strays) *strays += rows_with(column, unfit);
}

}  // namespace moblo::lab::readers
