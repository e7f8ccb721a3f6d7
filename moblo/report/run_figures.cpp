#include "moblo/report/run_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

#include "moblo/report/statistic.hpp"

namespace moblo {
namespace {

using Lists = std::vector<double> StepRecord::*;
using Panel = ExperimentRecord::Panel;

constexpr std::size_t most_loss_panels = 8;

/// The value after the last step stands in the summary alone.
void add_final_point(const RunRecord& run, const std::string& quantity_name, Curve& curve) {
  if (!run.summary) return;
  if (const auto value = quantity(run, quantity_name, std::nullopt)) {
    curve.points.push_back({static_cast<double>(run.summary->iterations), *value});
  }
}

Curve curve_of(const RunRecord& run, const std::string& quantity_name, const std::string& label) {
  Curve curve{label, {}};
  curve.points.reserve(run.steps.size() + 1);
  for (const auto& step : run.steps) {
    if (const auto value = quantity(step, quantity_name)) {
      curve.points.push_back({static_cast<double>(step.k), *value});
    }
  }
  add_final_point(run, quantity_name, curve);
  return curve;
}

std::size_t longest(const RunRecord& run, Lists member) {
  std::size_t size = 0;
  for (const auto& step : run.steps) size = std::max(size, (step.*member).size());
  return size;
}

std::vector<Curve> curves_of(const RunRecord& run, const std::string& key, Lists member, const std::string& symbol) {
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < longest(run, member); ++i) {
    curves.push_back(curve_of(run, fmt::format("{}[{}]", key, i), fmt::format(fmt::runtime(symbol), i + 1)));
  }
  return curves;
}

std::vector<Curve> gradient_norm_curves(const RunRecord& run) {
  auto curves = curves_of(run, "gradient_norms", &StepRecord::gradient_norms, "|∇F{}|");
  // The row of the constraint stands last, but only methods that have one write it.
  if (!curves.empty() && curves.size() == longest(run, &StepRecord::losses) + 1) curves.back().label = "|∇q|";
  return curves;
}

/// "test accuracy / mnist" is the curve "mnist" in the figure "test accuracy".
std::vector<Figure> metric_figures(const RunRecord& run) {
  std::vector<Figure> figures;
  for (const auto& evaluation : run.evaluations) {
    for (const auto& [name, value] : evaluation.metrics) {
      const auto slash = name.find(" / ");
      const auto title = name.substr(0, slash);
      const auto label = slash == std::string::npos ? name : name.substr(slash + 3);
      auto figure = std::find_if(figures.begin(), figures.end(), [&](const Figure& f) { return f.title == title; });
      if (figure == figures.end()) figure = figures.insert(figures.end(), Figure{title, title, false, {}});
      auto& curves = figure->curves;
      auto curve = std::find_if(curves.begin(), curves.end(), [&](const Curve& c) { return c.label == label; });
      if (curve == curves.end()) curve = curves.insert(curves.end(), Curve{label, {}});
      curve->points.push_back({static_cast<double>(evaluation.k), value});
    }
  }
  return figures;
}

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
  std::vector<Panel> panels;
  std::size_t objectives = 0;
  bool distance = false;
  for (const auto& [name, run] : runs) {
    objectives = std::max(objectives, longest(run, &StepRecord::losses));
    distance = distance || (!run.steps.empty() && run.steps.front().distance);
  }
  if (distance) panels.push_back({"Distance to the solution set", "distance", true, {}});
  panels.push_back({"Stationarity K", "kkt", true, {}});
  panels.push_back({"Lower-level gap q", "q", true, {}});
  for (std::size_t i = 0; i < std::min(objectives, most_loss_panels); ++i) {
    panels.push_back({fmt::format("Loss F{}", i + 1), fmt::format("losses[{}]", i), false, {}});
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

Figure panel_figure(const Panel& panel, const Report& report) {
  Figure figure{panel.title.empty() ? panel.quantity : panel.title, quantity_label(panel.quantity), panel.log, {}};
  for (const auto& [name, run] : report.runs) {
    if (is_wanted(panel, name, report)) figure.curves.push_back(curve_of(run, panel.quantity, name));
  }
  return figure;
}

/// One point a case that has a value on this axis, one curve a series.
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

}  // namespace

std::vector<Figure> run_figures(const RunRecord& run) {
  std::vector<Figure> figures;
  figures.push_back({"Upper losses", "F(z)", false, curves_of(run, "losses", &StepRecord::losses, "F{}")});
  figures.push_back({"Lower-level gap q and stationarity K",
                     "q(z), K(z)",
                     true,
                     {curve_of(run, "q", "q"), curve_of(run, "kkt", "K")}});
  auto distance = curve_of(run, "distance", "distance");
  if (!distance.points.empty()) {
    figures.push_back({"Distance to the solution set", "distance", true, {std::move(distance)}});
  }
  figures.push_back({"Weights of the objectives", "λ", false, curves_of(run, "weights", &StepRecord::weights, "λ{}")});
  figures.push_back({"Multiplier of the constraint", "ν", false, {curve_of(run, "nu", "ν")}});
  figures.push_back({"Gradient norms", "norm", true, gradient_norm_curves(run)});
  for (auto& figure : metric_figures(run)) figures.push_back(std::move(figure));
  return figures;
}

std::vector<Figure> comparison_figures(const Report& report) {
  const bool given = report.experiment && !report.experiment->panels.empty();
  std::vector<Figure> figures;
  for (const auto& panel : given ? report.experiment->panels : usual_panels(report.runs)) {
    figures.push_back(panel.x.empty() ? panel_figure(panel, report) : value_figure(panel, report));
  }
  return figures;
}

std::vector<std::pair<std::string, double>> seconds_by_phase(const RunRecord& run) {
  std::vector<std::pair<std::string, double>> phases;
  for (const auto& timing : run.timings) {
    for (const auto& [phase, seconds] : timing.seconds) {
      auto found = std::find_if(phases.begin(), phases.end(), [&](const auto& known) { return known.first == phase; });
      if (found == phases.end()) found = phases.insert(phases.end(), {phase, 0.0});
      found->second += seconds;
    }
  }
  std::stable_sort(phases.begin(), phases.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return phases;
}

}  // namespace moblo
