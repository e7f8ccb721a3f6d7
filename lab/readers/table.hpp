#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moblo::lab::readers {

/// A column of a table: its different texts, and which of them each row has.
struct TableColumn {
  std::string name;
  std::vector<std::string> texts;    ///< trimmed, in the order of their first rows
  std::vector<std::uint32_t> cells;  ///< one per row, into `texts`

  const std::string& cell(std::size_t row) const { return texts[cells[row]]; }
};

/// A table with a header, as people have it: text in every cell, nothing decided yet.
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

/// CSV, also gzip; comma, semicolon or tab by the header. Refuses rows of other lengths, broken quotes, text that is
/// not UTF-8 and more than 2^28 cells, up to ten problems at once and by row.
Table read_table(const std::filesystem::path& file);

/// Empty, ?, NA, N/A, NaN or null, in any case.
bool is_missing(std::string_view cell);

}  // namespace moblo::lab::readers
