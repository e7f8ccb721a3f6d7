#include "lab/readers/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "lab/data/csv_file.hpp"
#include "lab/data/problems.hpp"
#include "lab/readers/samples.hpp"
#include "lab/readers/text_lines.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::readers {
namespace {

constexpr std::size_t most_cells = std::size_t{1} << 28;

bool is_utf8(const std::string& text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; })) return true;
  try {
    return !Json(text).dump().empty();  // throws where it is not
  } catch (const Json::exception&) {
    return false;
  }
}

/// Numbers the different texts of a column; each is stored once.
class TextBuilder {
 public:
  explicit TextBuilder(TableColumn& column) : column_(column), known_(16, Hash{&column}, Same{&column}) {}

  /// True where the text is new.
  bool add(std::string_view text) {
    const auto found = known_.find(text);
    const auto number = found == known_.end() ? static_cast<std::uint32_t>(column_.texts.size()) : *found;
    column_.cells.push_back(number);
    if (found != known_.end()) return false;
    column_.texts.emplace_back(text);
    known_.insert(number);
    return true;
  }

 private:
  struct Hash {
    using is_transparent = void;
    const TableColumn* of;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    std::size_t operator()(std::uint32_t number) const { return (*this)(std::string_view(of->texts[number])); }
  };
  struct Same {
    using is_transparent = void;
    const TableColumn* of;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::string_view text, std::uint32_t number) const { return text == of->texts[number]; }
    bool operator()(std::uint32_t number, std::string_view text) const { return text == of->texts[number]; }
  };

  TableColumn& column_;
  std::unordered_set<std::uint32_t, Hash, Same> known_;
};

void add_number(TableColumn& column, std::string_view cell, std::int64_t row) {
  auto& facts = *column.facts;
  float value = std::nanf("");
  if (!parse_number(cell, value)) {
    if (facts.numbers++ == 0) facts.example = cell;
    // as doubles: ids of nine digits are not told apart in single precision
    double wide = 0;
    if (facts.counts) facts.counts = parse_double(cell, wide) && wide > facts.last && wide == std::floor(wide);
    facts.last = wide;
    facts.whole = facts.whole && value == std::floor(value);
  } else {
    value = std::nanf("");
    facts.counts = false;
    if (is_missing(cell)) {
      ++facts.missing;
    } else if (facts.strays++ == 0) {
      facts.stray = cell;
      facts.stray_row = row;
    }
  }
  column.numbers.push_back(value);
}

class TableBuilder {
 public:
  TableBuilder(Table& table, const TableReading& reading, data::Problems& problems)
      : table_(table), problems_(problems), texts_(table.columns.size()), skipped_(table.columns.size()) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      auto& column = table.columns[i];
      skipped_[i] = is_in(reading.left_out, column.name);
      if (skipped_[i]) continue;
      if (reading.numbers && !is_in(reading.texts, column.name)) {
        column.facts.emplace();
      } else {
        texts_[i].emplace(column);
      }
    }
  }

  void add(const std::vector<std::string_view>& cells, std::int64_t row) {
    if (cells.size() != table_.columns.size()) {
      return problems_.add(
          fmt::format("row {}: {} cells, the header has {}", row, cells.size(), table_.columns.size()));
    }
    table_.rows.push_back(row);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!skipped_[i]) add_cell(i, data::trimmed(cells[i]), row);
    }
  }

 private:
  void add_cell(std::size_t at, std::string_view text, std::int64_t row) {
    auto& column = table_.columns[at];
    if (!texts_[at]) return add_number(column, text, row);
    if (!texts_[at]->add(text) || is_utf8(column.texts.back())) return;
    problems_.add(fmt::format("row {}, column {}: the text is not UTF-8", row, data::in_quotes(column.name)));
    skipped_[at] = true;  // one problem tells it
  }

  Table& table_;
  data::Problems& problems_;
  std::vector<std::optional<TextBuilder>> texts_;
  std::vector<bool> skipped_;
};

Table read_once(const std::filesystem::path& file, const TableReading& reading) {
  data::Digest digest;
  data::CsvFile records(file, reading.numbers ? nullptr : &digest);
  std::vector<std::string_view> cells;
  records.next(cells);
  Table table;
  table.file = file.string();
  for (auto& name : data::column_names(cells, records.fault(), table.file)) {
    table.columns.push_back({std::move(name), {}, {}});
  }
  data::Problems problems(table.file);
  TableBuilder builder(table, reading, problems);
  while (records.next(cells)) {
    if (!records.fault().empty()) {
      problems.add(fmt::format("row {}, {}", records.row(), records.fault()));
    } else if (cells.size() > 1 || !data::trimmed(cells[0]).empty()) {
      builder.add(cells, records.row());
    }
    refuse_too_many(static_cast<std::int64_t>(table.size()), table.file);
    if (table.size() * table.columns.size() > most_cells) {
      throw Error(ErrorKind::data, table.file, fmt::format("holds more than {} cells", most_cells), "Divide it");
    }
  }
  problems.refuse_if_any("Fix these rows or take them out");
  if (table.size() == 0) throw Error(ErrorKind::data, table.file, "has a header and no row", "Give samples");
  if (!reading.numbers) table.sha256 = digest.text();
  return table;
}

/// Nine of ten that are there, so that a few slips of the pen make no category of each number.
bool holds_numbers(const NumberFacts& facts) {
  return 10 * facts.strays <= facts.numbers + facts.strays;
}

}  // namespace

const TableColumn* Table::find_column(std::string_view name) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return one.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

const TableColumn& Table::column(const std::string& name) const {
  if (const auto* found = find_column(name)) return *found;
  std::vector<std::string> names;
  for (const auto& one : columns) names.push_back(one.name);
  throw Error(ErrorKind::data, file,
              fmt::format("there is no column {}; the header has {}", data::in_quotes(name), data::some_of(names)),
              "Name a column of the table");
}

std::string Table::place_of(const TableColumn& column, std::uint32_t text) const {
  const auto first = std::find(column.cells.begin(), column.cells.end(), text);
  const auto row = first == column.cells.end() ? 0 : rows[static_cast<std::size_t>(first - column.cells.begin())];
  return fmt::format("row {}, column {}", row, data::in_quotes(column.name));
}

Table read_table(const std::filesystem::path& file, const TableReading& reading) {
  Table table = read_once(file, reading);
  if (!reading.numbers) return table;
  TableReading again = reading;
  for (const auto& column : table.columns) {
    const bool asked = is_in(reading.number, column.name);
    if (column.of_numbers() && !asked && !holds_numbers(*column.facts)) again.texts.push_back(column.name);
  }
  if (again.texts.size() == reading.texts.size()) return table;
  table = {};  // its memory, before the same is read again
  return read_once(file, again);
}

}  // namespace moblo::lab::readers
