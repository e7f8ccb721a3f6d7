#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/readers/cells.hpp"

namespace moblo::lab::readers {

/// What a column of numbers was found to hold, beside its numbers.
struct NumberFacts {
  std::int64_t numbers = 0, missing = 0;
  std::int64_t strays = 0;     ///< cells that are neither a number nor missing
  std::string example, stray;  ///< the first of each, as text
  std::int64_t stray_row = 0;
  bool whole = true;     ///< every number is
  bool counts = true;    ///< whole numbers that grow from row to row, none is missing
  double last = -1e308;  // while it is read
};

/// A column of a table: its different texts, and which of them each row has; or its numbers.
struct TableColumn {
  std::string name;
  std::vector<std::string> texts;    ///< trimmed, in the order of their first rows
  std::vector<std::uint32_t> cells;  ///< one per row, into `texts`
  /// Instead of both: one per row, NaN where a cell is missing or a stray.
  std::vector<float> numbers{};
  std::optional<NumberFacts> facts{};

  bool of_numbers() const { return facts.has_value(); }
  const std::string& cell(std::size_t row) const { return texts[cells[row]]; }
};

/// A table with a header, as people have it.
struct Table {
  std::string file;  ///< for messages
  std::string sha256;
  std::vector<TableColumn> columns;
  std::vector<std::int64_t> rows;  ///< where each stands, as a spreadsheet counts: the header is row 1

  std::size_t size() const { return rows.size(); }
  const TableColumn* find_column(std::string_view name) const;
  /// Throws Error(data) that lists the columns there are.
  const TableColumn& column(const std::string& name) const;
  /// "row 7, column 'age'", of the first row that has this text.
  std::string place_of(const TableColumn& column, std::uint32_t text) const;
};

/// What is kept of a table.
struct TableReading {
  /// Columns in which at least nine of ten cells that are not missing are finite numbers are kept as such, four bytes
  /// each. The file is read again for those that turn out to be none.
  bool numbers = false;
  std::vector<std::string> texts{};     ///< with `numbers`: kept as texts all the same
  std::vector<std::string> number{};    ///< with `numbers`: numbers, whatever the share of strays
  std::vector<std::string> left_out{};  ///< nothing of these is kept
};

/// CSV, also gzip; comma, semicolon or tab by the header. Refuses rows of other lengths, broken quotes, text that is
/// not UTF-8 and more than 2^28 cells, up to ten problems at once and by row.
Table read_table(const std::filesystem::path& file, const TableReading& reading = {});

}  // namespace moblo::lab::readers
