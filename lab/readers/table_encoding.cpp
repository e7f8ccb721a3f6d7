#include "lab/readers/table_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/data/problems.hpp"
#include "lab/readers/text_lines.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

constexpr std::size_t most_categories = 1000;  // of one column
constexpr std::size_t most_inputs = std::size_t{1} << 28;

bool is_in(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
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
    if (number) numbers[i] = kind == ColumnKind::amount ? std::log1p(value) : value;
  }
  return all;
}

/// Which texts of a column occur in these rows.
std::vector<bool> texts_of(const TableColumn& column, const std::vector<std::int64_t>& rows) {
  std::vector<bool> seen(column.texts.size(), false);
  for (const auto row : rows) seen[column.cells[static_cast<std::size_t>(row)]] = true;
  return seen;
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

/// Mean and deviation in several passes: the difference of large squares would lose the digits of dates and the like.
void measure_numbers(const TableColumn& column, const std::vector<std::int64_t>& training,
                     const std::vector<double>& numbers, ColumnCode& code) {
  const auto sum_over_rows = [&](const auto& term) {
    double sum = 0;
    for (const auto row : training) {
      const double value = numbers[column.cells[static_cast<std::size_t>(row)]];
      if (!std::isnan(value)) sum += term(value);
    }
    return sum;
  };
  std::set<double> two;  // different values, no more than are needed
  for (const auto row : training) {
    const double value = numbers[column.cells[static_cast<std::size_t>(row)]];
    if (std::isnan(value)) code.missing = true;
    if (!std::isnan(value) && two.size() < 2) two.insert(value);
  }
  if (two.size() < 2) return;
  const double count = sum_over_rows([](double) { return 1.0; });
  code.mean = sum_over_rows([](double value) { return value; }) / count;
  code.mean += sum_over_rows([&](double value) { return value - code.mean; }) / count;
  code.deviation =
      std::sqrt(sum_over_rows([&](double value) { return (value - code.mean) * (value - code.mean); }) / count);
}

void collect_categories(const Table& table, const TableColumn& column, const std::vector<bool>& counts,
                        ColumnCode& code) {
  std::set<std::string> known;
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
}

/// Inputs that one column makes.
std::size_t width_of(const ColumnCode& code) {
  const std::size_t values = code.kind == ColumnKind::category ? code.categories.size() : (code.deviation > 0 ? 1 : 0);
  return values + (code.missing ? 1 : 0);
}

bool says_nothing(const ColumnCode& code) {
  if (code.kind == ColumnKind::category) return width_of(code) < 2;
  return width_of(code) == 0;
}

ColumnKind kind_of(const TableColumn& column, const ColumnChoices& choices, const std::vector<bool>& counts) {
  if (is_in(choices.categories, column.name)) return ColumnKind::category;
  if (is_in(choices.amounts, column.name)) return ColumnKind::amount;
  if (is_in(choices.numbers, column.name)) return ColumnKind::number;
  std::vector<double> numbers;
  const bool all = parse_column(column, ColumnKind::number, counts, numbers);
  const bool any = std::any_of(numbers.begin(), numbers.end(), [](double value) { return !std::isnan(value); });
  return all && any ? ColumnKind::number : ColumnKind::category;
}

ColumnCode code_of(const Table& table, const TableColumn& column, const std::vector<std::int64_t>& training,
                   const ColumnChoices& choices) {
  const auto counts = texts_of(column, training);
  ColumnCode code;
  code.name = column.name;
  code.kind = kind_of(column, choices, counts);
  if (code.kind == ColumnKind::category) {
    collect_categories(table, column, counts, code);
    return code;
  }
  std::vector<double> numbers;
  if (!parse_column(column, code.kind, counts, numbers)) {
    refuse_other_texts(table, column, code.kind, counts, numbers);
  }
  measure_numbers(column, training, numbers, code);
  // A column of missing values alone: its one input would be 1 in all rows.
  if (code.deviation == 0 && code.missing) {
    code.missing = std::any_of(training.begin(), training.end(), [&](std::int64_t row) {
      return !std::isnan(numbers[column.cells[static_cast<std::size_t>(row)]]);
    });
  }
  return code;
}

/// The inputs of each text of a column, one after another; columns share them between rows of the same text.
std::vector<float> code_texts(const Table& table, const TableColumn& column, const ColumnCode& code) {
  const std::size_t width = width_of(code);
  std::vector<float> inputs(column.texts.size() * width, 0);
  const bool number = code.kind != ColumnKind::category;
  const std::vector<bool> all(column.texts.size(), true);
  std::vector<double> numbers;
  if (number && !parse_column(column, code.kind, all, numbers)) {
    refuse_other_texts(table, column, code.kind, all, numbers);
  }
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    float* to = inputs.data() + i * width;
    if (is_missing(column.texts[i])) {
      if (code.missing) to[number ? width - 1 : 0] = 1;
    } else if (number) {
      if (code.deviation == 0) continue;
      to[0] = static_cast<float>((numbers[i] - code.mean) / code.deviation);
      if (!std::isfinite(to[0])) {
        throw Error(
            ErrorKind::data, table.file,
            fmt::format("{}: {} is too far from the training rows for single precision",
                        table.place_of(column, static_cast<std::uint32_t>(i)), data::in_quotes(column.texts[i])),
            "Fix the cell");
      }
    } else {
      const auto& known = code.categories;
      const auto found = std::lower_bound(known.begin(), known.end(), column.texts[i]);
      if (found == known.end() || *found != column.texts[i]) continue;
      to[(found - known.begin()) + (code.missing ? 1 : 0)] = 1;
    }
  }
  return inputs;
}

void refuse_unknown_names(const Table& table, const ColumnChoices& choices) {
  std::set<std::string> seen;
  for (const auto* list : {&choices.left_out, &choices.numbers, &choices.amounts, &choices.categories}) {
    for (const auto& name : *list) {
      table.column(name);
      if (seen.insert(name).second) continue;
      throw Error(ErrorKind::data, fmt::format("column {} of {}", data::in_quotes(name), table.file),
                  "is named twice among numbers, amounts, categories and what is left out", "Name it once");
    }
  }
}

}  // namespace

TableEncoding TableEncoding::fit(const Table& table, const std::vector<std::int64_t>& training,
                                 const ColumnChoices& choices) {
  refuse_unknown_names(table, choices);
  TableEncoding encoding;
  for (const auto& column : table.columns) {
    // pandas writes the index of a table as a first column without a name
    if (column.name.empty() || is_in(choices.left_out, column.name)) continue;
    auto code = code_of(table, column, training, choices);
    if (says_nothing(code)) {
      encoding.dropped_.push_back(column.name);
    } else {
      encoding.columns_.push_back(std::move(code));
    }
  }
  std::stable_partition(encoding.columns_.begin(), encoding.columns_.end(),
                        [](const ColumnCode& code) { return code.kind != ColumnKind::category; });
  if (encoding.columns_.empty()) {
    throw Error(ErrorKind::data, table.file, "no column is left that differs between the training rows",
                "Leave out fewer columns, or give more rows");
  }
  encoding.name_features();
  return encoding;
}

void TableEncoding::name_features() {
  features_.clear();
  for (const auto& code : columns_) {
    if (code.kind != ColumnKind::category) {
      if (code.deviation > 0) features_.push_back(code.name);
      if (code.missing) features_.push_back(code.name + " missing");
      continue;
    }
    if (code.missing) features_.push_back(code.name + " missing");
    for (const auto& category : code.categories) features_.push_back(fmt::format("{} = {}", code.name, category));
  }
}

std::vector<float> TableEncoding::encode(const Table& table) const {
  const std::size_t width = features_.size();
  if (width == 0 || table.size() > most_inputs / width) {
    throw Error(ErrorKind::data, table.file,
                fmt::format("{} rows of {} inputs are more than {} numbers", table.size(), width, most_inputs),
                "Leave out columns with many categories, or divide the table");
  }
  std::vector<float> inputs(table.size() * width);
  std::size_t first = 0;
  for (const auto& code : columns_) {
    const auto& column = table.column(code.name);
    const auto of_texts = code_texts(table, column, code);
    const std::size_t count = width_of(code);
    for (std::size_t row = 0; row < table.size(); ++row) {
      std::copy_n(of_texts.data() + column.cells[row] * count, count, inputs.data() + row * width + first);
    }
    first += count;
  }
  return inputs;
}

}  // namespace moblo::lab::readers
