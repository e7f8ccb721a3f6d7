#include "lab/readers/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "lab/data/csv.hpp"
#include "lab/data/digest.hpp"
#include "lab/data/problems.hpp"
#include "lab/readers/samples.hpp"
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

/// Numbers the different texts of every column.
class TableBuilder {
 public:
  TableBuilder(Table& table, data::Problems& problems)
      : table_(table), problems_(problems), numbers_(table.columns.size()) {}

  void add(const std::vector<std::string_view>& cells, std::int64_t row) {
    if (cells.size() != table_.columns.size()) {
      return problems_.add(
          fmt::format("row {}: {} cells, the header has {}", row, cells.size(), table_.columns.size()));
    }
    table_.rows.push_back(row);
    for (std::size_t i = 0; i < cells.size(); ++i) add_cell(i, std::string(data::trimmed(cells[i])), row);
  }

 private:
  void add_cell(std::size_t at, std::string text, std::int64_t row) {
    auto& column = table_.columns[at];
    const auto [found, fresh] = numbers_[at].emplace(std::move(text), static_cast<std::uint32_t>(column.texts.size()));
    if (fresh) {
      if (!is_utf8(found->first)) {
        problems_.add(fmt::format("row {}, column {}: the text is not UTF-8", row, data::in_quotes(column.name)));
      }
      column.texts.push_back(found->first);
    }
    column.cells.push_back(found->second);
  }

  Table& table_;
  data::Problems& problems_;
  std::vector<std::unordered_map<std::string, std::uint32_t>> numbers_;
};

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

Table read_table(const std::filesystem::path& file) {
  const data::TextFile content(file);
  data::CsvText records(content.text(), data::separator_of(content.text()));
  Table table;
  table.file = file.string();
  table.sha256 = data::sha256(content.text());
  for (auto& name : data::read_header(records, table.file)) table.columns.push_back({std::move(name), {}, {}});

  data::Problems problems(table.file);
  TableBuilder builder(table, problems);
  std::vector<std::string_view> cells;
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
  return table;
}

bool is_missing(std::string_view cell) {
  constexpr std::array<std::string_view, 6> words{"", "?", "na", "n/a", "nan", "null"};
  std::string lower(cell);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::find(words.begin(), words.end(), lower) != words.end();
}

}  // namespace moblo::lab::readers
