#include "lab/report/arena_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/report/arena_statistics.hpp"
#include "lab/report/figure.hpp"
#include "lab/report/html_table.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/page.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::lab::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t places = 60;
constexpr double largest_factor = 100;

Figure profile_figure(const ArenaRecord& arena, ArenaModel model) {
  const bool joint = model == ArenaModel::joint;
  Figure figure{joint ? "Performance profiles, joint models" : "Performance profiles, refitted models",
                "share of the problems",
                false,
                {},
                "factor of the best median"};
  figure.log_x = true;
  const auto ratios = ratios_to_best(arena_scores(arena, model));
  for (std::size_t m = 0; m < ratios.size(); ++m) {
    Curve curve{arena.methods[m], {}};
    for (std::size_t i = 0; i <= places; ++i) {
      const double factor = std::pow(largest_factor, static_cast<double>(i) / static_cast<double>(places));
      curve.points.push_back({factor, share_within(ratios[m], factor * (1 + 1e-12))});
    }
    figure.curves.push_back(std::move(curve));
  }
  figure.note = "How often a method comes within a factor of the best one; at 1, how often it is the best.";
  return figure;
}

/// Otherwise a log axis has hardly a tick between them.
bool spans_decades(const Figure& figure) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const auto& curve : figure.curves) {
    for (const auto& point : curve.points) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  return low > 0 && high > 20 * low;
}

Figure anytime_figure(const ArenaRecord& arena, std::size_t p) {
  const auto& problem = arena.problems[p];
  Figure figure{problem.name, problem.measure, false, {}, "gradients"};
  for (std::size_t m = 0; m < arena.methods.size(); ++m) {
    Curve curve{arena.methods[m], {}};
    for (const auto& one : median_progress(arena.cell(p, m), problem.budget, places)) {
      curve.points.push_back({one.gradients, one.best});
    }
    if (!curve.points.empty()) figure.curves.push_back(std::move(curve));
  }
  figure.log = spans_decades(figure);
  figure.note = "The best score so far, median over the seeds. A second-order product counts as two gradients.";
  return figure;
}

std::string words_of_arena(const ArenaRecord& arena) {
  std::vector<std::string> seeds;
  for (const auto seed : arena.seeds) seeds.push_back(std::to_string(seed));
  const auto candidates = arena.cells.empty() ? 0 : arena.cells.front().candidates.size();
  return fmt::format(
      "{} methods, {} problems. For every problem each method got the same {} step sizes on seed {}; what was best "
      "there is judged on the seeds {}. {}.",
      arena.methods.size(), arena.problems.size(), candidates, arena.selection_seed, fmt::join(seeds, ", "),
      arena.stopped_because);
}

std::string titled_html(const TitledTable& titled) {
  return fmt::format("<h3>{}</h3>\n{}", html_escaped(titled.title), table_html(titled.table));
}

}  // namespace

std::string arena_html(const ArenaRecord& arena, const std::string& chart_library) {
  Page page;
  page.title = arena.title;
  page.sections = {{"ranks", "Ranks"}, {"profiles", "Profiles"}, {"anytime", "Anytime"}, {"problems", "Problems"}};
  page.body =
      fmt::format("<p class=\"soft\">{}</p>\n<h2 id=\"ranks\">Ranks</h2>\n", html_escaped(words_of_arena(arena)));
  if (!arena.complete()) page.body += "<p>Cells are missing: ranks and profiles follow when all are done.</p>\n";
  for (const auto& table : arena_rankings(arena)) page.body += titled_html(table);
  std::vector<Figure> figures;
  const auto add = [&](Figure figure) {
    figures.push_back(std::move(figure));
    page.body += figure_html(figures.back(), figures.size() - 1);
  };
  page.body += "<h2 id=\"profiles\">Profiles</h2>\n<div class=\"grid-of-figures\">";
  for (const auto model : {ArenaModel::joint, ArenaModel::refit}) {
    if (arena.complete() && !arena_scores(arena, model).problems.empty()) add(profile_figure(arena, model));
  }
  page.body += "</div>\n<h2 id=\"anytime\">Anytime</h2>\n<div class=\"grid-of-figures\">";
  for (std::size_t p = 0; p < arena.problems.size(); ++p) add(anytime_figure(arena, p));
  page.body += "</div>\n<h2 id=\"problems\">Problems</h2>\n<p>Medians over the seeds, lowest and highest beside.</p>\n";
  for (const auto& table : arena_problem_tables(arena)) page.body += titled_html(table);
  page.figures = figures_json(figures);
  page.chart_library = chart_library;
  return page_html(page);
}

fs::path write_arena_page(const fs::path& folder) {
  const auto arena = read_arena(folder);
  if (!arena) {
    throw Error(ErrorKind::data, (folder / "arena.json").string(), "is not there: the folder holds no arena",
                "Name a folder as `moblo arena --out` gave it");
  }
  const auto file = folder / "arena.html";
  records::write_text_atomically(file, arena_html(*arena, chart_library()));
  return file;
}

}  // namespace moblo::lab::report
