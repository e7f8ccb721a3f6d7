#include <fmt/format.h>

#include "lab/report/html_table.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/watched_folder.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::report {
namespace {

std::string status_html(const RunState& run) {
  if (!run.broken.empty()) return "<span class=\"bad\">broken</span>";
  if (run.silent) return "<span class=\"bad\" title=\"it has written nothing for long\">silent</span>";
  return fmt::format("<span class=\"{}\">{}</span>", status_class(run.status), base::name(run.status));
}

std::vector<std::string> row_of(const RunState& run) {
  const auto left = run.seconds_left();
  const auto link =
      fmt::format("<a href=\"/run?name={}\">{}</a>", html_escaped(percent_encoded(run.name)), html_escaped(run.name));
  if (!run.broken.empty()) {
    const auto reason = fmt::format("<div class=\"why\">{}</div>", html_escaped(run.broken));
    return {link + reason, "", status_html(run), "", "", "", ""};
  }
  return {
      link + fmt::format("<div class=\"soft\">{}</div>", html_escaped(run.title)),
      html_escaped(run.method),
      status_html(run),
      fmt::format("<progress max=\"100\" value=\"{:.1f}\" aria-label=\"progress\"></progress>", 100 * run.progress()),
      fmt::format("{} / {}", run.iterations, run.wanted > 0 ? std::to_string(run.wanted) : "?"),
      left ? base::human_seconds(*left) : "–",
      run.step_seconds > 0 ? number_text(run.step_seconds) : "–"};
}

}  // namespace

std::string run_list_html(const std::vector<RunState>& runs) {
  if (runs.empty()) return "<p class=\"soft\">There is no run yet; this page shows the first one as it begins.</p>";
  HtmlTable table{{"run", "method", "status", "progress", "iterations", "time left", "s / step"},
                  {},
                  {false, false, false, false, true, true, true},
                  "runs"};
  for (const auto& run : runs) table.rows.push_back(row_of(run));
  table.row_class = [&runs](std::size_t row) { return runs[row].broken.empty() ? "" : "broken"; };
  return table_html(table);
}

}  // namespace moblo::lab::report
