#include "lab/report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>

#include "lab/report/objective_names.hpp"
#include "lab/report/run_figures.hpp"
#include "lab/report/statistic.hpp"

namespace moblo::lab::report {
namespace {

using Panel = ExperimentRecord::Panel;

constexpr std::size_t most_loss_panels = 8, most_metric_panels = 6;

/// The paper's symbol; objectives count from 1 there.
std::string quantity_label(const std::string& name) {
  static const std::map<std::string, std::string> symbols{{"kkt", "K(z)"},
                                                          {"q", "q(z)"},
                                                          {"nu", "ν"},
                                                          {"lower_loss", "f(z)"},
                                                          {"losses", "F{}"},
                                                          {"weights", "λ{}"},
                                                          {"solved_weights", "λ{}, as solved"},
                                                          {"gradient_norms", "|∇F{}|"}};
  const auto bracket = name.find('[');
  const auto found = symbols.find(name.substr(0, bracket));
  const bool indexed = bracket != std::string::npos;
  if (found == symbols.end() || indexed != (found->second.find("{}") != std::string::npos)) return name;
  const auto index = indexed ? std::strtoull(name.c_str() + bracket + 1, nullptr, 10) : 0;
  return fmt::format(fmt::runtime(found->second), index + 1);
}

std::vector<Panel> usual_panels(const NamedRuns& runs) {
  const ObjectiveNames names(runs);
  std::vector<Panel> panels;
  std::size_t objectives = 0;
  bool distance = false;
  for (const auto& [name, run] : runs) {
    objectives = std::max(objectives, width_of(run, "losses"));
    distance = distance || (!run.steps.empty() && run.steps.front().distance);
  }
  if (distance) panels.push_back({"Distance to the solution set", "distance", true, {}});
  panels.push_back({"Stationarity K", "kkt", true, {}});
  panels.push_back({"Lower-level gap q", "q", true, {}});
  for (std::size_t i = 0; i < std::min(objectives, most_loss_panels); ++i) {
    panels.push_back({"Loss " + names[i], fmt::format("losses[{}]", i), false, {}});
  }
  return panels;
}

/// A panel names cases, and a case may be several runs.
bool is_wanted(const Panel& panel, const std::string& run_name, const Report& report) {
  if (panel.cases.empty()) return true;
  const auto names = [&](const std::string& wanted) {
    if (wanted == run_name) return true;
    if (!report.experiment) return false;
    const auto& cases = report.experiment->cases;
    return std::any_of(cases.begin(), cases.end(),
                       [&](const auto& one) { return one.name == run_name && belongs_to(one, wanted); });
  };
  return std::any_of(panel.cases.begin(), panel.cases.end(), names);
}

/// Values at the iterations that all of them have; the deviation is that of a sample.
Curve mean_curve(const std::string& label, const std::vector<Curve>& seeds) {
  if (seeds.size() == 1) return {label, seeds.front().points};
  Curve mean{label, {}};
  std::vector<std::size_t> at(seeds.size(), 0);
  for (const auto& point : seeds.front().points) {
    Statistic values;
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      const auto& points = seeds[s].points;
      while (at[s] < points.size() && points[at[s]].x < point.x) ++at[s];
      if (at[s] < points.size() && points[at[s]].x == point.x) values.values.push_back(points[at[s]].y);
    }
    if (values.values.size() < seeds.size()) continue;
    mean.points.push_back({point.x, *values.mean(), *values.deviation()});
  }
  return mean;
}

template <class CurveOfRun>
Figure grouped_figure(Figure figure, const std::vector<RunGroup>& groups, const CurveOfRun& curve_of_run) {
  for (const auto& group : groups) {
    std::vector<Curve> seeds;
    for (const auto* run : group.runs) {
      auto curve = curve_of_run(*run);
      if (!curve.points.empty()) seeds.push_back(std::move(curve));
    }
    if (!seeds.empty()) figure.curves.push_back(mean_curve(group.name, seeds));
  }
  return figure;
}

Figure panel_figure(const Panel& panel, const Report& report) {
  Figure figure{panel.title.empty() ? panel.quantity : panel.title, quantity_label(panel.quantity), panel.log, {}};
  std::vector<RunGroup> groups;
  for (const auto& group : run_groups(report)) {
    if (is_wanted(panel, group.first_run, report)) groups.push_back(group);
  }
  return grouped_figure(std::move(figure), groups,
                        [&](const records::RunRecord& run) { return curve_of(run, panel.quantity, ""); });
}

/// One point per case that has a value on this axis, one curve per series.
Figure value_figure(const Panel& panel, const Report& report) {
  Figure figure{panel.title, panel.y_title.empty() ? quantity_label(panel.quantity) : panel.y_title, panel.log, {}};
  figure.single_points = true;
  figure.log_x = panel.log_x;
  figure.x_label = panel.x_title.empty() ? panel.x : panel.x_title;
  std::set<std::string> drawn;
  for (const auto& one : report.experiment->cases) {
    const auto& name = one.group.empty() ? one.name : one.group;
    const auto at = one.x.find(panel.x);
    if (at == one.x.end() || !is_wanted(panel, one.name, report) || !drawn.insert(name).second) continue;
    const auto found = statistic(*report.experiment, report.runs, name, panel.quantity).times(panel.scale);
    if (!found.mean()) continue;
    const auto& label = one.series.empty() ? figure.y_label : one.series;
    auto& curves = figure.curves;
    auto curve = std::find_if(curves.begin(), curves.end(), [&](const Curve& c) { return c.label == label; });
    if (curve == curves.end()) curve = curves.insert(curves.end(), Curve{label, {}});
    curve->points.push_back({at->second, *found.mean(), found.deviation().value_or(0)});
  }
  for (auto& curve : figure.curves) {
    std::sort(curve.points.begin(), curve.points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  }
  return figure;
}

std::vector<std::string> metric_names(const Report& report) {
  std::vector<std::string> names;
  for (const auto& [run_name, run] : report.runs) {
    if (run.evaluations.empty()) continue;
    for (const auto& [name, value] : run.evaluations.back().metrics) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  if (names.size() > most_metric_panels) names.resize(most_metric_panels);
  return names;
}

Curve metric_curve(const records::RunRecord& run, const std::string& name) {
  Curve curve;
  for (const auto& evaluation : run.evaluations) {
    for (const auto& [metric, value] : evaluation.metrics) {
      if (metric == name) curve.points.push_back({static_cast<double>(evaluation.k), value});
    }
  }
  return curve;
}

std::vector<Figure> figures_of(const std::vector<Panel>& panels, const Report& report) {
  std::vector<Figure> figures;
  for (const auto& panel : panels) {
    figures.push_back(panel.x.empty() ? panel_figure(panel, report) : value_figure(panel, report));
  }
  return figures;
}

/// One evaluation makes no curve; tables have it.
bool has_line(const Figure& figure) {
  return std::any_of(figure.curves.begin(), figure.curves.end(), [](const Curve& c) { return c.points.size() > 1; });
}

/// "forum-seed-2" and "forum, seed 2" are seeds of "forum".
std::string without_seed(const std::string& name) {
  static const std::regex seed("[-_/, ]*seed[-_ ]?[0-9]+$");
  const auto rest = std::regex_replace(name, seed, "");
  return rest.empty() ? name : rest;
}

Json all_but_the_seed(Json config) {
  if (config.is_object()) {
    config.erase("seed");
    config.erase("threads");
  }
  return config;
}

}  // namespace

std::vector<RunGroup> run_groups(const Report& report) {
  std::vector<RunGroup> groups;
  std::vector<std::pair<std::string, Json>> keys;
  for (const auto& [name, run] : report.runs) {
    std::pair<std::string, Json> key{without_seed(name), all_but_the_seed(run.manifest.config)};
    if (report.experiment) {
      const auto& cases = report.experiment->cases;
      const auto& run_name = name;
      const auto one = std::find_if(cases.begin(), cases.end(), [&](const auto& c) { return c.name == run_name; });
      key = {one == cases.end() || one->group.empty() ? name : one->group, Json()};
    }
    const auto known = std::find(keys.begin(), keys.end(), key);
    if (known != keys.end()) {
      groups[static_cast<std::size_t>(known - keys.begin())].runs.push_back(&run);
      continue;
    }
    groups.push_back({key.first, name, {&run}});
    keys.push_back(std::move(key));
  }
  for (auto& group : groups) {
    if (group.runs.size() == 1) group.name = group.first_run;
  }
  return groups;
}

std::vector<Figure> panel_figures(const Report& report) {
  if (!report.experiment) return {};
  return figures_of(report.experiment->panels, report);
}

std::vector<Figure> comparison_figures(const Report& report) {
  const bool shown_before = report.experiment && !report.experiment->panels.empty();
  auto figures = shown_before ? std::vector<Figure>() : figures_of(usual_panels(report.runs), report);
  const auto groups = run_groups(report);
  for (const auto& name : metric_names(report)) {
    auto figure = grouped_figure({name, metric_place(name).first, false, {}}, groups,
                                 [&](const records::RunRecord& run) { return metric_curve(run, name); });
    if (has_line(figure)) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace moblo::lab::report
