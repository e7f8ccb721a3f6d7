#include "lab/report/front_page.hpp"

#include <fmt/format.h>

#include "lab/report/figure.hpp"
#include "lab/report/html_table.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/page.hpp"
#include "lab/report/web_files.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/status.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::report {
namespace {

namespace fs = std::filesystem;
using records::FrontRecord;

std::string front_tiles(const FrontRecord& front) {
  auto text = tile_html("points", std::to_string(front.points.size())) +
              tile_html("on the front", std::to_string(count_on_front(front))) +
              tile_html("hypervolume", number_text(front.hypervolume));
  if (front.refit_hypervolume) text += tile_html("hypervolume, retrained", number_text(*front.refit_hypervolume));
  if (front.largest_gap) text += tile_html("largest gap / diameter", number_text(*front.largest_gap));
  if (front.rounds > 0) text += tile_html("rounds", std::to_string(front.rounds));
  return "<div class=\"tiles\">" + text + "</div>\n";
}

/// What is seen without scripts: the first two objectives, or each pair of three.
std::vector<Figure> still_figures(const FrontRecord& front) {
  const std::size_t m = front.objectives.size();
  std::vector<Figure> figures;
  if (m < 2 || m > 3) return figures;
  for (std::size_t x = 0; x < m; ++x) {
    for (std::size_t y = x + 1; y < m; ++y) {
      Figure figure{fmt::format("{} and {}", front.objectives[x], front.objectives[y]),
                    front.objectives[y],
                    false,
                    {{"on the front", {}, true}, {"dominated", {}, true}},
                    front.objectives[x]};
      for (const auto& point : front.points) {
        if (!has_finite_losses(point)) continue;
        figure.curves[point.dominated ? 1 : 0].points.push_back({point.losses[x], point.losses[y]});
      }
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

Figure hypervolume_figure(const FrontRecord& front) {
  Figure figure{"Hypervolume over the number of points", "hypervolume", false, {{"joint models", {}}}, "points"};
  for (const auto& [points, hypervolume] : front.hypervolume_history) {
    figure.curves.front().points.push_back({static_cast<double>(points), hypervolume});
  }
  std::vector<std::string> corner;
  for (const double value : front.reference_point) corner.push_back(number_text(value));
  figure.note = fmt::format("Up to the reference point ({}), in the order in which the points were planned.",
                            fmt::join(corner, ", "));
  return figure;
}

/// A report of a run, relative to the folder; empty where there is none.
std::string report_of(const FrontRecord::Point& point, const fs::path& folder) {
  const fs::path relative = fs::path(point.run) / "report.html";
  std::error_code ignored;
  const bool inside = !point.run.empty() && !fs::path(point.run).is_absolute() &&
                      relative.lexically_normal().native().rfind("..", 0) != 0;
  return inside && fs::is_regular_file(folder / relative, ignored) ? relative.generic_string() : "";
}

std::string data_of(const FrontRecord& front, const fs::path& folder) {
  Json data = records::to_json(front);
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    const auto report = report_of(front.points[i], folder);
    if (!report.empty()) data["points"][i]["report"] = percent_encoded(report, "/");
  }
  return records::dump_json(data);
}

std::string_view class_of_status(const std::string& word) {
  const auto status = base::run_status(word);
  return status ? status_class(*status) : "open";
}

std::string points_html(const FrontRecord& front, const fs::path& folder) {
  const auto plain = front_table(front);
  HtmlTable table{plain.header, plain.rows, plain.numeric};
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (auto& cell : table.rows[row]) cell = html_escaped(cell);
    const auto report = report_of(front.points[row], folder);
    auto& run = table.rows[row].back();
    if (!report.empty()) run = fmt::format("<a href=\"{}\">{}</a>", html_escaped(percent_encoded(report, "/")), run);
  }
  const std::size_t status = plain.header.size() - 2;
  table.cell_class = [&front, status](std::size_t row, std::size_t column) {
    if (column + 1 == status) return std::string_view("words");
    return column == status ? class_of_status(front.points[row].status) : std::string_view();
  };
  return table_html(table);
}

}  // namespace

std::string front_html(const FrontRecord& front, const fs::path& folder, const std::string& chart_library) {
  Page page;
  page.title = front_title(front);
  page.sections = {{"front-section", "Front"}, {"hypervolume", "Hypervolume"}, {"points", "Points"}};
  page.body = fmt::format("<p class=\"soft\">{}</p>\n",
                          html_escaped(fmt::format("{} · {} · seed {}{}{}", front.problem, front.method, front.seed,
                                                   front.stopped_because.empty() ? "" : " · ", front.stopped_because)));
  page.body += front_tiles(front);
  page.body += "<h2 id=\"front-section\">Front</h2>\n<div class=\"front\"><div id=\"front-plots\">";
  std::vector<Figure> still = still_figures(front), charts{hypervolume_figure(front)};
  page.body += "<div class=\"grid-of-figures\">";
  for (const auto& figure : still) page.body += figure_html(figure, charts.size());  // no chart is drawn over it
  page.body += "</div></div><aside class=\"panel\" id=\"front-point\" aria-live=\"polite\" hidden></aside></div>\n";
  page.body += "<h2 id=\"hypervolume\">Hypervolume</h2>\n<div class=\"one-figure\">" + figure_html(charts.front(), 0) +
               "</div>\n";
  page.body += "<h2 id=\"points\">Points</h2>\n" + points_html(front, folder);
  page.figures = figures_json(charts);
  page.chart_library = chart_library;
  page.scripts = {web::front_plots_js, web::front_space_js, web::front_js};
  page.data = {{"front", data_of(front, folder)}};
  return page_html(page);
}

fs::path write_front_page(const fs::path& folder) {
  const auto front = records::read_front(folder);
  if (!front) {
    throw Error(ErrorKind::data, (folder / "front.json").string(), "is not there: the folder holds no front",
                "Name a folder as `moblo front --out` gave it");
  }
  const auto file = folder / "front.html";
  records::write_text_atomically(file, front_html(*front, folder, chart_library()));
  return file;
}

}  // namespace moblo::lab::report
