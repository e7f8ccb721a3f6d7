#include "lab/report/run_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/report/objective_names.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::lab::report {
namespace {

constexpr double mebibyte = 1 << 20;

/// The value after the last step stands in the summary alone.
void add_final_point(const records::RunRecord& run, const std::string& quantity_name, Curve& curve) {
  if (!run.summary) return;
  if (const auto value = quantity(run, quantity_name, std::nullopt)) {
    curve.points.push_back({static_cast<double>(run.summary->iterations), *value});
  }
}

Curve memory_curve(const records::RunRecord& run, const std::string& label) {
  Curve curve{label, {}};
  for (const auto& timing : run.timings) {
    if (timing.peak_bytes > 0) {
      curve.points.push_back({static_cast<double>(timing.k), static_cast<double>(timing.peak_bytes)});
    }
  }
  return curve;
}

class RecordedCurves : public CurveSource {
 public:
  explicit RecordedCurves(const records::RunRecord& run) : run_(run) {}

  Curve curve(const std::string& name, const std::string& label) const override { return curve_of(run_, name, label); }
  std::size_t width(const std::string& list) const override { return width_of(run_, list); }
  const std::vector<Evaluation>& evaluations() const override { return run_.evaluations; }

 private:
  const records::RunRecord& run_;
};

std::vector<Curve> curves_of(const CurveSource& source, const std::string& list, const std::string& symbol) {
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < source.width(list); ++i) {
    curves.push_back(source.curve(fmt::format("{}[{}]", list, i), fmt::format(fmt::runtime(symbol), i + 1)));
  }
  return curves;
}

std::vector<Curve> loss_curves(const CurveSource& source, const ObjectiveNames& names) {
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < source.width("losses"); ++i) {
    curves.push_back(source.curve(fmt::format("losses[{}]", i), names[i]));
  }
  return curves;
}

/// The row of the constraint stands last, but only methods that have one write it.
std::vector<Curve> gradient_norm_curves(const CurveSource& source) {
  auto curves = curves_of(source, "gradient_norms", "|∇F{}|");
  if (!curves.empty() && curves.size() == source.width("losses") + 1) curves.back().label = "|∇q|";
  return curves;
}

/// cos(g_i, g_j) for i < j, row by row; of m + 1 rows, the last is the constraint's.
std::vector<Curve> conflict_curves(const CurveSource& source, const ObjectiveNames& names) {
  const auto objectives = source.width("losses");
  std::size_t rows = 0;
  while (rows * (rows + 1) / 2 < source.width("conflict_cosines")) ++rows;
  const auto name = [&](std::size_t i) { return i < objectives ? names[i] : std::string("q"); };
  std::vector<Curve> curves;
  for (std::size_t i = 0; i <= rows; ++i) {
    for (std::size_t j = i + 1; j <= rows; ++j) {
      curves.push_back(
          source.curve(fmt::format("conflict_cosines[{}]", curves.size()), fmt::format("{}, {}", name(i), name(j))));
    }
  }
  return curves;
}

std::vector<Figure> metric_figures(const std::vector<Evaluation>& evaluations) {
  std::vector<Figure> figures;
  for (const auto& evaluation : evaluations) {
    for (const auto& [name, value] : evaluation.metrics) {
      const auto [title, label] = metric_place(name);
      auto figure =
          std::find_if(figures.begin(), figures.end(), [&, t = title](const Figure& f) { return f.title == t; });
      if (figure == figures.end()) figure = figures.insert(figures.end(), Figure{title, title, false, {}});
      auto& curves = figure->curves;
      const auto shown = label == title && !curves.empty() && curves.front().label != title ? "mean" : label;
      auto curve = std::find_if(curves.begin(), curves.end(), [&](const Curve& c) { return c.label == shown; });
      if (curve == curves.end()) curve = curves.insert(curves.end(), Curve{shown, {}});
      curve->points.push_back({static_cast<double>(evaluation.k), value});
    }
  }
  return figures;
}

/// The prediction, where the manifest has one, beside what was measured.
Figure memory_figure(const CurveSource& source, const Manifest& manifest) {
  Figure figure{"Peak memory of the process", "MiB", false, {source.curve("peak_bytes", "measured")}};
  auto& measured = figure.curves.front();
  for (auto& point : measured.points) point.y /= mebibyte;
  const auto& problem = manifest.problem;
  if (measured.points.empty() || !problem.is_object() || !problem.contains("predicted_bytes")) return figure;
  if (const auto bytes = records::json_number(problem["predicted_bytes"])) {
    figure.curves.push_back(
        {"predicted", {{measured.points.front().x, *bytes / mebibyte}, {measured.points.back().x, *bytes / mebibyte}}});
  }
  return figure;
}

bool has_points(const Figure& figure) {
  return std::any_of(figure.curves.begin(), figure.curves.end(), [](const Curve& c) { return !c.points.empty(); });
}

}  // namespace

Curve curve_of(const records::RunRecord& run, const std::string& name, const std::string& label) {
  if (name == "peak_bytes") return memory_curve(run, label);
  Curve curve{label, {}};
  curve.points.reserve(run.steps.size() + 1);
  for (const auto& step : run.steps) {
    if (const auto value = quantity(step, name)) curve.points.push_back({static_cast<double>(step.k), *value});
  }
  add_final_point(run, name, curve);
  return curve;
}

std::size_t width_of(const records::RunRecord& run, const std::string& list) {
  std::size_t size = 0;
  for (const auto* step :
       {run.steps.empty() ? nullptr : &run.steps.front(), run.steps.empty() ? nullptr : &run.steps.back()}) {
    while (step && quantity(*step, fmt::format("{}[{}]", list, size))) ++size;
  }
  return size;
}

std::pair<std::string, std::string> metric_place(const std::string& name) {
  const auto slash = name.find(" / ");
  return {name.substr(0, slash), slash == std::string::npos ? name : name.substr(slash + 3)};
}

std::vector<Figure> run_figures(const CurveSource& source, const Manifest& manifest) {
  const ObjectiveNames names(manifest);
  std::vector<Figure> figures;
  const auto add = [&](Figure figure) {
    if (figures.empty() || has_points(figure)) figures.push_back(std::move(figure));
  };
  add({"Upper losses", "F(z)", false, loss_curves(source, names)});
  for (auto& figure : metric_figures(source.evaluations())) add(std::move(figure));
  add({"Lower-level gap q and stationarity K", "q(z), K(z)", true, {source.curve("q", "q"), source.curve("kkt", "K")}});
  add({"Distance to the solution set", "distance", true, {source.curve("distance", "distance")}});
  add({"Weights of the objectives", "λ", false, curves_of(source, "weights", "λ{}")});
  add({"Multiplier of the constraint", "ν", false, {source.curve("nu", "ν")}});
  add({"Conflicts of the gradients", "cosine", false, conflict_curves(source, names)});
  add({"Gradient norms", "norm", true, gradient_norm_curves(source)});
  add({"Lower loss", "f(z)", false, {source.curve("lower_loss", "f(z)")}});
  add(memory_figure(source, manifest));
  return figures;
}

std::vector<Figure> run_figures(const records::RunRecord& run) {
  return run_figures(RecordedCurves(run), run.manifest);
}

void add_seconds(const StepTiming& timing, PhaseSeconds& phases) {
  for (const auto& [phase, seconds] : timing.seconds) {
    const auto& wanted = phase;
    auto found = std::find_if(phases.begin(), phases.end(), [&](const auto& known) { return known.first == wanted; });
    if (found == phases.end()) found = phases.insert(phases.end(), {phase, 0.0});
    found->second += seconds;
  }
}

void sort_by_share(PhaseSeconds& phases) {
  std::stable_sort(phases.begin(), phases.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
}

PhaseSeconds seconds_by_phase(const records::RunRecord& run) {
  PhaseSeconds phases = run.timing_sum.seconds;
  sort_by_share(phases);
  return phases;
}

}  // namespace moblo::lab::report
