#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/report/summary_table.hpp"

namespace moblo::lab::report {

/// A table whose cells are HTML already; its header is plain text.
struct HtmlTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> numeric;                                                          ///< by column: set right-aligned
  std::string_view css_class{};                                                       ///< of the table
  std::function<std::string_view(std::size_t row)> row_class{};                       ///< none: no class
  std::function<std::string_view(std::size_t row, std::size_t column)> cell_class{};  ///< none: no class
};

std::string table_html(const HtmlTable& table);

/// Plain text, which is escaped. `cell_class(row, column)` and `row_class(row)` may be left out.
std::string table_html(const Table& table,
                       std::function<std::string_view(std::size_t row, std::size_t column)> cell_class = nullptr,
                       std::function<std::string_view(std::size_t row)> row_class = nullptr);

/// A number with a word below it, for the row at the top of a page; both are escaped.
std::string tile_html(const std::string& label, const std::string& value, std::string_view css_class = "");

/// The colour of a status: "good", "bad" or "open".
std::string_view status_class(RunStatus status);

}  // namespace moblo::lab::report
