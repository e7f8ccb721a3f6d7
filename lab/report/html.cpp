#include <fmt/format.h>

#include <string_view>

#include "lab/report/comparison.hpp"
#include "lab/report/front_page.hpp"
#include "lab/report/html_table.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/page.hpp"
#include "lab/report/report.hpp"
#include "lab/report/results.hpp"
#include "lab/report/run_figures.hpp"
#include "lab/report/run_view.hpp"
#include "lab/report/sample_section.hpp"
#include "lab/report/summary_table.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::report {
namespace {

std::string paragraph(std::string_view css_class, std::string_view text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", css_class, html_escaped(text));
}

std::string_view verdict_class(std::string_view outcome) {
  return outcome == "met" ? "met" : outcome == "missed" ? "missed" : "open";
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

std::string headline(const RunRow& row) {
  auto text = tile_html("status", std::string(base::name(row.status)), status_class(row.status)) +
              tile_html("iterations", std::to_string(row.iterations)) +
              tile_html("time", base::human_seconds(row.seconds));
  for (std::size_t i = 0; i < row.losses.size() && i < 8; ++i) {
    text += tile_html(row.objectives[i], number_text(row.losses[i]));
  }
  if (row.q) text += tile_html("q", number_text(*row.q));
  if (row.kkt) text += tile_html("K", number_text(*row.kkt));
  if (row.distance) text += tile_html("distance", number_text(*row.distance));
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

/// Collects what a page is made of; figures count through all of its sections.
class Body {
 public:
  void add(const std::string& html) { text_ += html; }

  /// `name` stands in the bar at the top, `heading` above the section.
  void section(const std::string& id, const std::string& name, const std::string& heading = "") {
    sections_.emplace_back(id, name);
    text_ += fmt::format("<h2 id=\"{}\">{}</h2>\n", id, html_escaped(heading.empty() ? name : heading));
  }

  void figures(const std::vector<Figure>& figures, const std::string& more = "") {
    text_ += "<div class=\"grid-of-figures\">";
    for (const auto& figure : figures) {
      text_ += figure_html(figure, figures_.size());
      figures_.push_back(figure);
    }
    text_ += more + "</div>\n";
  }

  Page page(const std::string& title, const std::string& chart_library) const {
    return {title, text_, sections_, figures_json(figures_), chart_library};
  }

 private:
  std::string text_;
  std::vector<std::pair<std::string, std::string>> sections_;
  std::vector<Figure> figures_;
};

std::string status_sentence(const RunRow& row) {
  const auto text =
      fmt::format("The run {}{}", row.status == RunStatus::running ? "" : "ended: ", describe(row.status));
  const bool says_more = !row.message.empty() && row.message != describe(row.status);
  return says_more ? fmt::format("{}. {}", text, row.message) : text + ".";
}

void add_samples(const std::vector<SampleOutcomes>& samples, Body& body) {
  if (samples.empty()) return;
  body.section("samples", "Samples", "What it learned of the samples");
  body.figures(sample_figures(samples));
  for (const auto& outcomes : samples) body.add(suspects_html(outcomes));
}

void add_run(const RunView& view, Body& body) {
  body.add("<div id=\"head\">" + run_head_html(view) + "</div>\n");
  if (view.evaluation) {
    body.section("evaluation", "Evaluation", view.evaluation->title);
    body.add(table_html(view.evaluation->table));
  }
  if (view.refit) {
    const auto [meaning, table] = refit_table(*view.refit, view.row.objectives);
    body.section("refit", "Alpha alone", "The joint model, and what alpha is worth alone");
    body.add(paragraph("", meaning) + table_html(table));
  }
  body.section("curves", "Curves");
  body.figures(view.figures, view.phases.empty() ? "" : bars_html("Time by phase", view.phases, base::human_seconds));
  add_samples(view.samples, body);
  body.section("settings", "Settings");
  body.add(manifest_html(view.manifest));
}

/// A figure of the paper is its panels: they come first.
void add_experiment(const ExperimentRecord& experiment, const std::vector<Figure>& panels,
                    const std::vector<Verdict>& verdicts, Body& body) {
  body.add(paragraph("", experiment.shows));
  if (!experiment.source.empty()) body.add(paragraph("soft", "Repeats " + experiment.source));
  if (!experiment.cost.empty()) body.add(paragraph("soft", "Cost: " + experiment.cost));
  if (!panels.empty()) {
    body.section("panels", "Panels");
    body.figures(panels);
  }
  if (verdicts.empty()) return;
  body.section("verdicts", "Verdicts", verdict_summary(verdicts));
  body.add(verdict_table_html(verdicts));
}

std::string result_table_html(const ResultTable& results) {
  const auto table = text_table(results);
  const bool judged = !table.header.empty() && table.header.back() == "verdict";
  return table_html(table, [&](std::size_t row, std::size_t column) {
    return judged && column + 1 == table.header.size() ? verdict_class(table.rows[row][column]) : std::string_view();
  });
}

/// One bar per case for a column of delta_p.
std::string delta_p_bars(const ResultTable& results) {
  std::string html;
  for (std::size_t column = 0; column < results.columns.size(); ++column) {
    if (results.columns[column].quantity != "delta_p") continue;
    std::vector<SignedBar> bars;
    for (const auto& row : results.rows) {
      const auto& ours = row.cells[column].ours;
      if (const auto mean = ours.mean()) bars.push_back({row.case_name, *mean, statistic_text(ours)});
    }
    if (!bars.empty()) html += signed_bars_html("delta_p: mean gain over a network per task, %", std::move(bars));
  }
  return html;
}

void add_comparison(const Report& report, Body& body) {
  if (report.experiment) {
    add_experiment(*report.experiment, report.runs.empty() ? std::vector<Figure>() : panel_figures(report),
                   judge(*report.experiment, report.runs), body);
  }
  if (report.runs.empty()) return body.add(paragraph("soft", "No case has been run yet."));
  const auto tables = result_tables(report);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    body.section(fmt::format("table-{}", i + 1), tables.size() > 1 ? fmt::format("Table {}", i + 1) : "Table",
                 tables[i].title);
    body.add(result_table_html(tables[i]) + delta_p_bars(tables[i]));
  }
  if (report.runs.size() == 1) return add_run(view_of(report.runs.front().first, report.runs.front().second), body);
  auto figures = comparison_figures(report);
  for (auto& figure : front_figures(report)) figures.push_back(std::move(figure));
  if (!figures.empty()) {
    body.section("curves", "Curves");
    body.figures(figures);
  }
  body.section("runs", "Runs");
  for (const auto& [name, run] : report.runs) {
    for (const auto& damage : run.damage) body.add(paragraph("bad", fmt::format("Warning: {}: {}", name, damage)));
  }
  body.add(run_table_html(run_rows(report)));
  body.section("settings", "Settings");
  for (const auto& [name, run] : report.runs) {
    body.add(settings_html("Configuration of " + name, run.manifest.config));
  }
  body.add(settings_html("Environment", report.runs.front().second.manifest.runtime));
}

}  // namespace

RunView view_of(const std::string& name, const records::RunRecord& run) {
  auto warnings = run.damage;
  if (run.summary) warnings.insert(warnings.end(), run.summary->warnings.begin(), run.summary->warnings.end());
  return {run_row(name, run),
          run.folder,
          run.manifest,
          run_figures(run),
          seconds_by_phase(run),
          evaluation_table(run),
          records::read_sample_outcomes(run.folder),
          run.summary ? run.summary->refit : std::nullopt,
          std::move(warnings)};
}

std::string run_head_html(const RunView& view) {
  std::string warnings;
  for (const auto& warning : view.warnings) warnings += paragraph("bad", "Warning: " + warning);
  return paragraph("", status_sentence(view.row)) + warnings +
         paragraph("soft", fmt::format("{} · started {}", view.folder.string(), view.manifest.created)) +
         headline(view.row);
}

Page run_page(const RunView& view, const std::string& title, const std::string& chart_library) {
  Body body;
  add_run(view, body);
  return body.page(title, chart_library);
}

std::string html(const Report& report, const std::string& chart_library) {
  if (report.front) return front_html(*report.front, report.folder, chart_library);
  if (!report.experiment && report.runs.size() == 1) {
    const auto& [name, run] = report.runs.front();
    return page_html(run_page(view_of(name, run), report.title, chart_library));
  }
  Body body;
  add_comparison(report, body);
  return page_html(body.page(report.title, chart_library));
}

}  // namespace moblo::lab::report
