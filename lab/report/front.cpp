#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/comparison.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/summary_table.hpp"
#include "moblo/aggregation/pareto.hpp"

namespace moblo::lab::report {
namespace {

constexpr std::size_t most_in_a_sentence = 5;
constexpr std::size_t most_in_pairs = 3;  ///< objectives; of more, all are shown along one axis

/// The final losses of the runs of one group.
struct Finals {
  std::string name;
  std::vector<aggregation::Objectives> losses;
};

bool all_finite(const aggregation::Objectives& losses) {
  return std::all_of(losses.begin(), losses.end(), [](double loss) { return std::isfinite(loss); });
}

/// Empty unless all runs have the same number of losses, two at least.
std::vector<Finals> final_losses(const Report& report) {
  std::vector<Finals> finals;
  std::size_t objectives = 0;
  for (const auto& group : run_groups(report)) {
    Finals found{group.name, {}};
    for (const auto* run : group.runs) {
      const auto losses = run_row("", *run).losses;
      if (objectives == 0) objectives = losses.size();
      if (losses.size() != objectives || objectives < 2) return {};
      if (all_finite(losses)) found.losses.push_back(losses);
    }
    finals.push_back(std::move(found));
  }
  return finals;
}

/// A colour for each group is more than an eye can tell apart: then all runs are one cloud.
std::vector<Finals> legible(const std::vector<Finals>& finals, const std::vector<aggregation::Objectives>& all) {
  return finals.size() < most_curves ? finals : std::vector<Finals>{{"all runs", all}};
}

std::vector<aggregation::Objectives> together(const std::vector<Finals>& finals) {
  std::vector<aggregation::Objectives> all;
  for (const auto& group : finals) all.insert(all.end(), group.losses.begin(), group.losses.end());
  return all;
}

struct Range {
  aggregation::Objectives low, high;
};

Range range_of(const std::vector<aggregation::Objectives>& all) {
  Range range{all.front(), all.front()};
  for (const auto& losses : all) {
    for (std::size_t i = 0; i < losses.size(); ++i) {
      range.low[i] = std::min(range.low[i], losses[i]);
      range.high[i] = std::max(range.high[i], losses[i]);
    }
  }
  return range;
}

/// A tenth of the range beyond the worst of all, so that the ends of a front count as well.
aggregation::Objectives reference_of(const Range& range) {
  aggregation::Objectives reference = range.high;
  for (std::size_t i = 0; i < reference.size(); ++i) reference[i] += 0.1 * (range.high[i] - range.low[i]);
  return reference;
}

std::string volumes(const std::vector<Finals>& finals, const std::vector<aggregation::Objectives>& all,
                    const aggregation::Objectives& reference) {
  std::string point;
  for (const double value : reference) point += (point.empty() ? "" : ", ") + number_text(value);
  std::string text =
      fmt::format("Hypervolume up to ({}): all {}", point, number_text(aggregation::hypervolume(all, reference)));
  if (finals.size() < 2 || finals.size() > most_in_a_sentence) return text;
  for (const auto& group : finals) {
    text += fmt::format(", {} {}", group.name, number_text(aggregation::hypervolume(group.losses, reference)));
  }
  return text;
}

/// The groups that have a run on the front.
std::string names_on(const std::vector<aggregation::Objectives>& front, const std::vector<Finals>& finals) {
  std::string names;
  for (const auto& group : finals) {
    const bool on = std::any_of(group.losses.begin(), group.losses.end(), [&](const auto& losses) {
      return std::find(front.begin(), front.end(), losses) != front.end();
    });
    if (on) names += (names.empty() ? "" : ", ") + group.name;
  }
  return names;
}

Figure pair_figure(const std::vector<Finals>& shown, const std::vector<aggregation::Objectives>& front, std::size_t x,
                   std::size_t y, const ObjectiveNames& names) {
  const bool plane = front.front().size() == 2;
  Figure figure{"Final losses and their front", names[y], false, {}, names[x]};
  if (!plane) figure.title = fmt::format("Final losses {} and {}, and the front", names[x], names[y]);
  for (const auto& group : shown) {
    Curve curve{group.name, {}, true};
    for (const auto& losses : group.losses) curve.points.push_back({losses[x], losses[y]});
    figure.curves.push_back(std::move(curve));
  }
  Curve edge{"front", {}, !plane};  // of more than two objectives its shadow is no line
  for (const auto& losses : front) edge.points.push_back({losses[x], losses[y]});
  figure.curves.push_back(std::move(edge));
  return figure;
}

/// One line per group: its mean losses, each between the best (0) and the worst (1) of all runs.
Figure side_by_side(const std::vector<Finals>& shown, const Range& range) {
  Figure figure{"Final losses, best 0 and worst 1 of all runs", "share of the range", false, {}, "objective"};
  for (const auto& group : shown) {
    if (group.losses.empty()) continue;
    Curve curve{group.name, {}};
    for (std::size_t i = 0; i < range.low.size(); ++i) {
      double mean = 0;
      for (const auto& losses : group.losses) mean += losses[i] / static_cast<double>(group.losses.size());
      const double span = range.high[i] - range.low[i];
      curve.points.push_back({static_cast<double>(i + 1), span > 0 ? (mean - range.low[i]) / span : 0});
    }
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

}  // namespace

std::vector<Figure> front_figures(const Report& report) {
  const auto finals = final_losses(report);
  const auto all = together(finals);
  if (all.size() < 2) return {};
  const auto shown = legible(finals, all);
  const auto range = range_of(all);
  const auto front = aggregation::non_dominated(all);
  const std::size_t objectives = all.front().size();
  const ObjectiveNames names(report.runs);
  std::vector<Figure> figures;
  if (objectives > most_in_pairs) {
    figures.push_back(side_by_side(shown, range));
  } else {
    for (std::size_t x = 0; x < objectives; ++x) {
      for (std::size_t y = x + 1; y < objectives; ++y) figures.push_back(pair_figure(shown, front, x, y, names));
    }
  }
  std::string& note = figures.front().note;
  if (objectives <= most_in_pairs) note = volumes(finals, all, reference_of(range)) + ". ";
  note += fmt::format("On the front, beaten by no other run in all losses: {}", names_on(front, finals));
  return figures;
}

}  // namespace moblo::lab::report
