#include <fmt/format.h>

#include <array>
#include <string_view>

#include "moblo/base/text.hpp"
#include "moblo/report/number_text.hpp"
#include "moblo/report/page_style.hpp"
#include "moblo/report/report.hpp"
#include "moblo/report/results.hpp"
#include "moblo/report/run_figures.hpp"
#include "moblo/report/summary_table.hpp"

namespace moblo {
namespace {

std::string paragraph(std::string_view css_class, std::string_view text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", css_class, html_escaped(text));
}

/// One rule a curve: seven colours by five dashes do not repeat before the thirty-fifth.
std::string series_style() {
  constexpr std::array<std::string_view, 5> dashes{"none", "7 4", "2 3", "10 3 2 3", "5 2 1 2 1 2"};
  std::string css;
  for (std::size_t i = 0; i < 12; ++i) {
    css += fmt::format(".s{0}{{stroke:var(--c{1})}}.curve.s{0}{{stroke-dasharray:{2}}}.dot.s{0}{{fill:var(--c{1})}}", i,
                       i % 7, dashes[i % dashes.size()]);
  }
  return css;
}

std::string_view status_class(RunStatus status) {
  if (status == RunStatus::running || status == RunStatus::interrupted) return "open";
  return succeeded(status) ? "good" : "bad";
}

std::string_view verdict_class(std::string_view outcome) {
  return outcome == "met" ? "met" : outcome == "missed" ? "missed" : "open";
}

/// `cell_class(row, column)` adds to the class of a cell.
template <class CellClass>
std::string table_html(const Table& table, const CellClass& cell_class) {
  const auto alignment = [&table](std::size_t column) { return table.numeric[column] ? "n" : ""; };
  std::string text = "<div class=\"scroll\"><table><thead><tr>";
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    text += fmt::format("<th class=\"{}\">{}</th>", alignment(i), html_escaped(table.header[i]));
  }
  text += "</tr></thead><tbody>";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    text += "<tr>";
    for (std::size_t i = 0; i < table.rows[row].size(); ++i) {
      text += fmt::format("<td class=\"{} {}\">{}</td>", alignment(i), cell_class(row, i),
                          html_escaped(table.rows[row][i]));
    }
    text += "</tr>";
  }
  return text + "</tbody></table></div>\n";
}

std::string run_table_html(const std::vector<RunRow>& rows) {
  return table_html(run_table(rows), [&rows](std::size_t row, std::size_t column) {
    return column == 1 ? status_class(rows[row].status) : std::string_view();
  });
}

std::string verdict_table_html(const std::vector<Verdict>& verdicts) {
  const auto table = verdict_table(verdicts);
  return table_html(table, [&table](std::size_t row, std::size_t column) {
    return column == 0 ? verdict_class(table.rows[row][0]) : std::string_view();
  });
}

std::string tile(const std::string& label, const std::string& value, std::string_view css_class = "") {
  return fmt::format("<div class=\"tile\"><b class=\"{}\">{}</b><span>{}</span></div>", css_class, html_escaped(value),
                     html_escaped(label));
}

std::string headline(const RunRow& row) {
  auto text = tile("status", std::string(name(row.status)), status_class(row.status)) +
              tile("iterations", std::to_string(row.iterations)) + tile("time", human_seconds(row.seconds));
  for (std::size_t i = 0; i < row.losses.size() && i < 8; ++i) {
    text += tile(fmt::format("F{}", i + 1), number_text(row.losses[i]));
  }
  if (row.q) text += tile("q", number_text(*row.q));
  if (row.kkt) text += tile("K", number_text(*row.kkt));
  if (row.distance) text += tile("distance", number_text(*row.distance));
  return "<div class=\"tiles\">" + text + "</div>\n";
}

std::string scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_settings(const Json& value, const std::string& path, std::string& rows) {
  if (value.is_object() && !value.empty()) {
    for (auto entry = value.begin(); entry != value.end(); ++entry) {
      add_settings(entry.value(), path.empty() ? entry.key() : path + "." + entry.key(), rows);
    }
    return;
  }
  if (value.is_null() || (value.empty() && path.empty())) return;
  rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>", html_escaped(path), html_escaped(scalar_text(value)));
}

std::string settings_html(const std::string& title, const Json& settings) {
  std::string rows;
  add_settings(settings, "", rows);
  if (rows.empty()) return "";
  return fmt::format("<details><summary>{}</summary><table>{}</table></details>\n", html_escaped(title), rows);
}

std::string manifest_html(const Manifest& manifest) {
  return settings_html("Configuration", manifest.config) + settings_html("Problem", manifest.problem) +
         settings_html("Environment", manifest.runtime) + settings_html("Data", manifest.datasets) +
         settings_html("Changed by resuming", Json(manifest.amendments));
}

std::string figures_html(const std::vector<Figure>& figures, const std::string& more = "") {
  std::string text;
  for (const auto& figure : figures) text += figure_html(figure);
  return "<div class=\"grid-of-figures\">" + text + more + "</div>\n";
}

std::string status_sentence(const RunRow& row) {
  const auto text =
      fmt::format("The run {}{}", row.status == RunStatus::running ? "" : "ended: ", describe(row.status));
  return row.message.empty() ? text + "." : fmt::format("{}. {}", text, row.message);
}

std::string run_body(const std::string& name, const RunRecord& run) {
  const auto row = run_row(name, run);
  const auto phases = seconds_by_phase(run);
  auto text = paragraph("", status_sentence(row)) +
              paragraph("soft", fmt::format("{} · started {}", run.folder.string(), run.manifest.created)) +
              headline(row);
  text += figures_html(run_figures(run), phases.empty() ? "" : bars_html("Time by phase", phases, human_seconds));
  return text + manifest_html(run.manifest);
}

std::string experiment_head(const ExperimentRecord& experiment, const std::vector<Verdict>& verdicts) {
  auto text = paragraph("", experiment.shows);
  if (!experiment.source.empty()) text += paragraph("soft", "Repeats " + experiment.source);
  if (!experiment.cost.empty()) text += paragraph("soft", "Cost: " + experiment.cost);
  if (verdicts.empty()) return text;
  return text + fmt::format("<h2>{}</h2>\n", html_escaped(verdict_summary(verdicts))) + verdict_table_html(verdicts);
}

std::string result_tables_html(const Report& report) {
  std::string text;
  for (const auto& results : result_tables(report)) {
    const auto table = text_table(results);
    const bool judged = !table.header.empty() && table.header.back() == "verdict";
    text += fmt::format("<h2>{}</h2>\n", html_escaped(results.title));
    text += table_html(table, [&](std::size_t row, std::size_t column) {
      return judged && column + 1 == table.header.size() ? verdict_class(table.rows[row][column]) : std::string_view();
    });
  }
  return text;
}

std::string comparison_body(const Report& report) {
  std::string text;
  if (report.experiment) text += experiment_head(*report.experiment, judge(*report.experiment, report.runs));
  if (report.runs.empty()) return text + paragraph("soft", "No case has been run yet.");
  text += result_tables_html(report) + "<h2>Curves</h2>\n" + figures_html(comparison_figures(report)) +
          "<h2>Runs</h2>\n" + run_table_html(run_rows(report));
  for (const auto& [name, run] : report.runs) {
    text += settings_html("Configuration of " + name, run.manifest.config);
  }
  return text + settings_html("Environment", report.runs.front().second.manifest.runtime);
}

}  // namespace

std::string html(const Report& report) {
  const bool single = !report.experiment && report.runs.size() == 1;
  const auto body = single ? run_body(report.runs.front().first, report.runs.front().second) : comparison_body(report);
  const auto title = html_escaped(report.title);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<title>{}</title><style>{}{}</style></head>\n<body><main><h1>{}</h1>\n{}</main></body></html>\n",
      title, page_style, series_style(), title, body);
}

}  // namespace moblo
