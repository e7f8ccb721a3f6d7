#include "lab/readers/table_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/data/problems.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/options.hpp"

namespace moblo::lab::readers {
namespace {

constexpr std::size_t most_inputs = std::size_t{1} << 28;

ColumnCode code_of(const Table& table, const TableColumn& column, const RowNumbers& training,
                   const ColumnChoices& choices) {
  if (is_in(choices.categories, column.name)) return fit_categories(table, column, training);
  if (is_in(choices.amounts, column.name)) return fit_numbers(table, column, ColumnKind::amount, training, false);
  if (is_in(choices.numbers, column.name) || all_numbers(column, training)) {
    return fit_numbers(table, column, ColumnKind::number, training, false);
  }
  return fit_categories(table, column, training);
}

void refuse_unknown_names(const Table& table, const ColumnChoices& choices) {
  std::set<std::string> seen;
  for (const auto* list : {&choices.left_out, &choices.numbers, &choices.amounts, &choices.categories,
                           &choices.booleans, &choices.dates, &choices.texts}) {
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
    if (choices.recognise) {
      auto& summary = encoding.summary_.emplace_back();
      summary.name = column.name;
      if (auto code = recognise(table, column, training, choices, summary)) {
        encoding.columns_.push_back(std::move(*code));
      } else {
        encoding.dropped_.push_back(column.name);
      }
      continue;
    }
    auto code = code_of(table, column, training, choices);
    if (says_nothing(code)) {
      encoding.dropped_.push_back(column.name);
    } else {
      encoding.columns_.push_back(std::move(code));
    }
  }
  std::stable_partition(encoding.columns_.begin(), encoding.columns_.end(),
                        [](const ColumnCode& code) { return code.of_numbers(); });
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
    const auto names = features_of(code);
    features_.insert(features_.end(), names.begin(), names.end());
  }
}

TableReading TableEncoding::reading(const std::vector<std::string>& header,
                                    const std::vector<std::string>& texts) const {
  TableReading reading;
  reading.numbers = true;
  reading.texts = texts;
  for (const auto& name : header) {
    const auto code =
        std::find_if(columns_.begin(), columns_.end(), [&](const ColumnCode& one) { return one.name == name; });
    if (is_in(texts, name)) continue;
    (code == columns_.end() ? reading.left_out : code->of_numbers() ? reading.number : reading.texts).push_back(name);
  }
  return reading;
}

std::vector<float> TableEncoding::encode(const Table& table, std::vector<std::string>* remarks) const {
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
    std::int64_t strays = 0;
    encode_column(table, column, code, inputs.data() + first, width, remarks ? &strays : nullptr);
    if (strays > 0) {
      remarks->push_back(fmt::format("column {}: {} of {} cells are none of a {}; they count as missing",
                                     data::in_quotes(code.name), strays, table.size(), base::enum_name(code.kind)));
    }
    first += width_of(code);
  }
  return inputs;
}

}  // namespace moblo::lab::readers
