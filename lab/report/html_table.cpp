#include "lab/report/html_table.hpp"

#include <fmt/format.h>

#include <utility>

#include "lab/report/number_text.hpp"

namespace moblo::lab::report {
namespace {

/// <tag class="first second">, with no attribute where there is nothing to say.
std::string opened(std::string_view tag, std::string_view first, std::string_view second = "") {
  if (first.empty() && second.empty()) return fmt::format("<{}>", tag);
  return fmt::format("<{} class=\"{}{}{}\">", tag, first, first.empty() || second.empty() ? "" : " ", second);
}

}  // namespace

std::string table_html(const HtmlTable& table) {
  const auto alignment = [&table](std::size_t column) { return table.numeric[column] ? "n" : ""; };
  std::string text = "<div class=\"scroll\">" + opened("table", table.css_class) + "<thead><tr>";
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    text += opened("th", alignment(i)) + html_escaped(table.header[i]) + "</th>";
  }
  text += "</tr></thead><tbody>";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    text += opened("tr", table.row_class ? table.row_class(row) : "");
    for (std::size_t i = 0; i < table.rows[row].size(); ++i) {
      text +=
          opened("td", alignment(i), table.cell_class ? table.cell_class(row, i) : "") + table.rows[row][i] + "</td>";
    }
    text += "</tr>";
  }
  return text + "</tbody></table></div>\n";
}

std::string table_html(const Table& table, std::function<std::string_view(std::size_t, std::size_t)> cell_class,
                       std::function<std::string_view(std::size_t)> row_class) {
  HtmlTable out{table.header, table.rows, table.numeric, {}, std::move(row_class), std::move(cell_class)};
  for (auto& row : out.rows) {
    for (auto& cell : row) cell = html_escaped(cell);
  }
  return table_html(out);
}

std::string tile_html(const std::string& label, const std::string& value, std::string_view css_class) {
  return fmt::format("<div class=\"tile\"><b class=\"{}\">{}</b><span>{}</span></div>", css_class, html_escaped(value),
                     html_escaped(label));
}

std::string_view status_class(RunStatus status) {
  if (status == RunStatus::running || status == RunStatus::interrupted) return "open";
  return succeeded(status) ? "good" : "bad";
}

}  // namespace moblo::lab::report
