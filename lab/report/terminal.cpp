#include <fmt/format.h>

#include <algorithm>

#include "lab/report/front_page.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/report.hpp"
#include "lab/report/results.hpp"
#include "lab/report/run_figures.hpp"
#include "lab/report/sparkline.hpp"
#include "lab/report/summary_table.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::report {
namespace {

constexpr std::size_t spark_width = 32, short_spark_width = 12;

/// Characters on a screen, not bytes.
std::size_t width_of_text(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, width_of_text(text)), ' ');
  return right ? space + text : text + space;
}

/// A name may hold escape codes that would take over the terminal.
std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
  return out;
}

std::string aligned(const Table& table) {
  std::vector<std::size_t> widths;
  const auto measure = [&widths](const std::vector<std::string>& row) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of_text(row[i]));
  };
  measure(table.header);
  for (const auto& row : table.rows) measure(row);
  std::string out;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i)
      line += " " + padded(printable(row[i]), widths[i], table.numeric[i]) + " ";
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add(table.header);
  for (const auto& row : table.rows) add(row);
  return out;
}

class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}
  std::string bold(const std::string& text) const { return paint("1", text); }
  std::string soft(const std::string& text) const { return paint("2", text); }
  std::string status(RunStatus status) const {
    const char* code = status == RunStatus::running || status == RunStatus::interrupted ? "33"
                       : succeeded(status)                                              ? "32"
                                                                                        : "31";
    return paint(code, std::string(base::name(status)));
  }

 private:
  std::string paint(const char* code, const std::string& text) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  bool colour_;
};

/// A curve's label says little without the figure around it.
std::string name_of(const Figure& figure, const Curve& curve) {
  if (figure.y_label == "cosine") return "cos " + curve.label;
  if (figure.y_label == "MiB") return "memory, MiB, " + curve.label;
  const bool part = figure.title == figure.y_label && curve.label != figure.title;
  return part ? figure.title + " / " + curve.label : curve.label;
}

std::string curve_lines(const std::vector<Figure>& figures) {
  Table table{{"", "last", "", "lowest", "highest"}, {}, {false, true, false, true, true}};
  for (const auto& figure : figures) {
    for (const auto& curve : figure.curves) {
      if (curve.points.empty()) continue;
      const auto [low, high] = std::minmax_element(curve.points.begin(), curve.points.end(),
                                                   [](const Point& a, const Point& b) { return a.y < b.y; });
      table.rows.push_back({name_of(figure, curve), number_text(curve.points.back().y),
                            sparkline(curve.points, spark_width, figure.log), number_text(low->y),
                            number_text(high->y)});
    }
  }
  return aligned(table);
}

std::string phases_line(const records::RunRecord& run) {
  const auto phases = seconds_by_phase(run);
  double total = 0;
  for (const auto& [phase, seconds] : phases) total += seconds;
  if (total <= 0) return "";
  std::vector<std::string> parts;
  for (const auto& [phase, seconds] : phases) {
    if (seconds / total >= 0.005) parts.push_back(fmt::format("{} {:.0f} %", printable(phase), 100 * seconds / total));
  }
  return fmt::format("  Time: {}\n", base::join(parts));
}

std::string run_lines(const std::string& name, const records::RunRecord& run, const Painter& painter) {
  const auto row = run_row(name, run);
  auto text = fmt::format("{}  {}, {} iterations, {}\n", painter.bold(printable(name)), painter.status(row.status),
                          row.iterations, base::human_seconds(row.seconds));
  if (!row.message.empty() && !succeeded(row.status)) text += fmt::format("  {}\n", printable(row.message));
  for (const auto& damage : run.damage) text += fmt::format("  Warning: {}\n", printable(damage));
  text += curve_lines(run_figures(run));
  if (const auto evaluation = evaluation_table(run)) {
    text += fmt::format("\n{}\n{}", painter.bold(evaluation->title), aligned(evaluation->table));
  }
  if (run.summary && run.summary->refit) {
    const auto [meaning, table] = refit_table(*run.summary->refit, ObjectiveNames(run.manifest));
    text += fmt::format("\n{}\n{}", painter.bold(meaning), aligned(table));
  }
  return text + "\n" + phases_line(run);
}

Table overview(const Report& report) {
  Table table = run_table(run_rows(report));
  table.header.insert(table.header.begin() + 5, ObjectiveNames(report.runs)[0] + " over time");
  table.numeric.insert(table.numeric.begin() + 5, false);
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const auto curve = curve_of(report.runs[i].second, "losses[0]", "");
    table.rows[i].insert(table.rows[i].begin() + 5, sparkline(curve.points, short_spark_width, false));
  }
  return table;
}

}  // namespace

std::string terminal(const Report& report, bool colour) {
  const Painter painter(colour);
  auto text = painter.bold(printable(report.title)) + "\n\n";
  if (report.front) return text + aligned(front_table(*report.front)) + "\n" + front_sentence(*report.front) + "\n";
  for (const auto& table : result_tables(report)) {
    text += painter.bold(printable(table.title)) + "\n" + aligned(text_table(table)) + "\n";
  }
  if (report.experiment) {
    const auto verdicts = judge(*report.experiment, report.runs);
    if (!verdicts.empty()) {
      text += painter.bold(verdict_summary(verdicts)) + "\n" + aligned(verdict_table(verdicts)) + "\n";
    }
  }
  if (report.runs.size() != 1) return text + aligned(overview(report));
  return text + run_lines(report.runs.front().first, report.runs.front().second, painter);
}

}  // namespace moblo::lab::report
