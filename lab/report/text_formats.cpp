#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/front_page.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/report.hpp"
#include "lab/report/results.hpp"
#include "lab/report/summary_table.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::report {
namespace {

std::vector<std::string> escaped(const std::vector<std::string>& cells, std::string (*escape)(std::string_view)) {
  std::vector<std::string> out;
  for (const auto& cell : cells) out.push_back(escape(cell));
  return out;
}

std::string markdown_table(const Table& table) {
  const auto row = [](const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", base::join(cells, " | "));
  };
  std::vector<std::string> rule;
  for (const bool numeric : table.numeric) rule.emplace_back(numeric ? "---:" : "---");
  auto text = row(escaped(table.header, markdown_escaped)) + row(rule);
  for (const auto& cells : table.rows) text += row(escaped(cells, markdown_escaped));
  return text;
}

std::string latex_number(const std::string& text);

/// 90.81 ± 0.14 (2 of 3) -> $90.81 \\pm 0.14$ (2 of 3)
std::string latex_estimate(const std::string& text) {
  constexpr std::string_view sign = " ± ";
  const auto at = text.find(sign);
  if (at == std::string::npos) return latex_number(text);
  const auto end = std::min(text.find(" (", at), text.size());
  const auto deviation = text.substr(at + sign.size(), end - at - sign.size());
  return fmt::format("{} $\\pm$ {}{}", latex_number(text.substr(0, at)), latex_number(deviation),
                     latex_escaped(text.substr(end)));
}

/// 1.5e-5 -> $1.5\times10^{-5}$; anything that is no number in scientific form is escaped.
std::string latex_number(const std::string& text) {
  if (text == number_text(HUGE_VAL)) return "$\\infty$";
  if (text == number_text(-HUGE_VAL)) return "$-\\infty$";
  const auto e = text.find('e');
  if (e == std::string::npos || text.find_first_not_of("-.0123456789e") != std::string::npos) {
    return text.starts_with('-') ? fmt::format("${}$", text) : latex_escaped(text);
  }
  return fmt::format("${}\\times10^{{{}}}$", text.substr(0, e), text.substr(e + 1));
}

std::string latex_numbers(const std::string& cell) {
  if (cell == "–") return "--";
  std::string out;
  for (std::size_t begin = 0; begin <= cell.size();) {
    const auto end = std::min(cell.find(", ", begin), cell.size());
    out += (begin == 0 ? "" : ", ") + latex_estimate(cell.substr(begin, end - begin));
    begin = end + 2;
  }
  return out;
}

std::string latex_table(const Table& table) {
  std::string columns;
  for (const bool numeric : table.numeric) columns += numeric ? 'r' : 'l';
  const auto row = [](const std::vector<std::string>& cells) { return base::join(cells, " & ") + " \\\\\n"; };
  auto text = fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n{}\\midrule\n", columns,
                          row(escaped(table.header, latex_escaped)));
  for (const auto& cells : table.rows) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out.push_back(table.numeric[i] ? latex_numbers(cells[i]) : latex_escaped(cells[i]));
    }
    text += row(out);
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string exact(const std::optional<double>& value) {
  if (!value) return "";
  return std::isfinite(*value) ? fmt::format("{}", *value) : std::isnan(*value) ? "NaN" : *value > 0 ? "inf" : "-inf";
}

std::string csv_line(const std::vector<std::string>& cells) {
  return base::join(escaped(cells, base::csv_field), ",") + "\r\n";
}

/// The quantities of all tables, each once.
std::vector<std::string> table_quantities(const Report& report) {
  std::vector<std::string> names;
  if (!report.experiment) return names;
  for (const auto& table : report.experiment->tables) {
    for (const auto& column : table.columns) {
      if (std::find(names.begin(), names.end(), column.quantity) == names.end()) names.push_back(column.quantity);
    }
  }
  return names;
}

}  // namespace

std::string markdown(const Report& report) {
  auto text = fmt::format("# {}\n\n", markdown_escaped(report.title));
  if (report.front) {
    return text + fmt::format("{}.\n\n{}", front_sentence(*report.front), markdown_table(front_table(*report.front)));
  }
  if (report.experiment) {
    const auto verdicts = judge(*report.experiment, report.runs);
    if (!report.experiment->shows.empty()) text += markdown_escaped(report.experiment->shows) + "\n\n";
    if (!verdicts.empty()) {
      text += fmt::format("{}.\n\n{}\n", verdict_summary(verdicts), markdown_table(verdict_table(verdicts)));
    }
    for (const auto& table : result_tables(report)) {
      text += fmt::format("## {}\n\n{}\n", markdown_escaped(table.title), markdown_table(text_table(table)));
    }
  }
  text += markdown_table(run_table(run_rows(report)));
  for (const auto& [name, run] : report.runs) {
    const auto evaluation = report.runs.size() == 1 ? evaluation_table(run) : std::nullopt;
    if (evaluation) text += fmt::format("\n## {}\n\n{}", evaluation->title, markdown_table(evaluation->table));
    if (report.runs.size() != 1 || !run.summary || !run.summary->refit) continue;
    const auto [meaning, table] = refit_table(*run.summary->refit, ObjectiveNames(run.manifest));
    text +=
        fmt::format("\n## The joint model, and what alpha is worth alone\n\n{}\n\n{}", meaning, markdown_table(table));
  }
  return text;
}

std::string latex(const Report& report) {
  if (report.front) return latex_table(front_table(*report.front));
  std::string text;
  for (const auto& table : result_tables(report)) text += latex_table(text_table(table)) + "\n";
  text += latex_table(run_table(run_rows(report)));
  if (!report.experiment) return text;
  const auto verdicts = judge(*report.experiment, report.runs);
  return verdicts.empty() ? text : text + "\n" + latex_table(verdict_table(verdicts));
}

std::string csv(const Report& report) {
  if (report.front) return records::front_csv(*report.front);
  const auto rows = run_rows(report);
  const auto quantities = table_quantities(report);
  std::size_t objectives = 0;
  for (const auto& row : rows) objectives = std::max(objectives, row.losses.size());
  std::vector<std::string> header{"run", "status", "iterations", "seconds"};
  for (std::size_t i = 0; i < objectives; ++i) header.push_back(fmt::format("losses[{}]", i));
  for (const auto* key : {"q", "kkt", "distance", "message"}) header.emplace_back(key);
  header.insert(header.end(), quantities.begin(), quantities.end());
  auto text = csv_line(header);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto& row = rows[r];
    std::vector<std::string> cells{row.name, std::string(base::name(row.status)), std::to_string(row.iterations),
                                   exact(row.seconds)};
    for (std::size_t i = 0; i < objectives; ++i) cells.push_back(i < row.losses.size() ? exact(row.losses[i]) : "");
    for (const auto& value : {row.q, row.kkt, row.distance}) cells.push_back(exact(value));
    cells.push_back(row.message);
    for (const auto& name : quantities) cells.push_back(exact(quantity(report.runs[r].second, name, std::nullopt)));
    text += csv_line(cells);
  }
  return text;
}

}  // namespace moblo::lab::report
