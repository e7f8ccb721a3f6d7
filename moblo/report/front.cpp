#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "moblo/metrics/pareto.hpp"
#include "moblo/report/comparison.hpp"
#include "moblo/report/number_text.hpp"
#include "moblo/report/summary_table.hpp"

namespace moblo {
namespace {

constexpr std::size_t most_in_a_sentence = 5;

std::vector<ObjectivePair> pairs_of(const Curve& curve) {
  std::vector<ObjectivePair> pairs;
  for (const auto& point : curve.points) pairs.emplace_back(point.x, point.y);
  return pairs;
}

/// A tenth of the range beyond the worst of all, so that the ends of a front count as well.
ObjectivePair reference_of(const std::vector<ObjectivePair>& all) {
  auto low = all.front(), high = all.front();
  for (const auto& [first, second] : all) {
    low = {std::min(low.first, first), std::min(low.second, second)};
    high = {std::max(high.first, first), std::max(high.second, second)};
  }
  return {high.first + 0.1 * (high.first - low.first), high.second + 0.1 * (high.second - low.second)};
}

}  // namespace

std::vector<Figure> front_figures(const Report& report) {
  Figure figure{"Final losses and their front", "F2", false, {}, "F1"};
  std::vector<ObjectivePair> all;
  for (const auto& group : run_groups(report)) {
    Curve curve{group.name, {}, true};
    for (const auto* run : group.runs) {
      const auto losses = run_row("", *run).losses;
      if (losses.size() != 2) return {};
      if (std::isfinite(losses[0]) && std::isfinite(losses[1])) curve.points.push_back({losses[0], losses[1]});
    }
    const auto pairs = pairs_of(curve);
    all.insert(all.end(), pairs.begin(), pairs.end());
    figure.curves.push_back(std::move(curve));
  }
  if (all.size() < 2 || figure.curves.size() >= most_curves) return {};
  const auto reference = reference_of(all);
  figure.note = fmt::format("Hypervolume up to ({}, {}): all {}", number_text(reference.first),
                            number_text(reference.second), number_text(hypervolume(all, reference)));
  const bool few = figure.curves.size() > 1 && figure.curves.size() <= most_in_a_sentence;
  for (const auto& curve : few ? figure.curves : std::vector<Curve>()) {
    figure.note += fmt::format(", {} {}", curve.label, number_text(hypervolume(pairs_of(curve), reference)));
  }
  Curve front{"front", {}};
  for (const auto& [first, second] : non_dominated(all)) front.points.push_back({first, second});
  figure.curves.push_back(std::move(front));
  return {figure};
}

}  // namespace moblo
