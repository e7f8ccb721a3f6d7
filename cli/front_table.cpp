#include "cli/front_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"
#include "moblo/base/text.hpp"

namespace moblo::cli {
namespace {

using Point = FrontRecord::Point;

std::string numbers_text(const std::vector<double>& values, const char* separator, int digits) {
  std::vector<std::string> parts;
  for (const double value : values) parts.push_back(fmt::format("{:.{}g}", value, digits));
  return base::join(parts, separator);
}

std::string marks_of(const Point& point, const FrontRecord& front) {
  std::vector<std::string> marks;
  if (point.losses.empty()) return point.status;
  for (std::size_t i = 0; i < front.extremes.size(); ++i) {
    if (front.extremes[i] == point.index) marks.push_back("best " + front.objectives[i]);
  }
  if (front.knee == point.index) marks.emplace_back("knee");
  if (point.dominated) marks.emplace_back("dominated");
  if (point.refit_dominated.value_or(false)) marks.emplace_back("refit dominated");
  return base::join(marks);
}

/// Those without losses last.
std::vector<const Point*> along_the_front(const FrontRecord& front) {
  std::vector<const Point*> order;
  for (const auto& point : front.points) order.push_back(&point);
  std::stable_sort(order.begin(), order.end(), [](const Point* a, const Point* b) {
    return a->losses.empty() || b->losses.empty() ? b->losses.empty() && !a->losses.empty() : a->losses < b->losses;
  });
  return order;
}

std::string verdict(const FrontRecord& front) {
  const auto good =
      std::count_if(front.points.begin(), front.points.end(), [](const Point& p) { return !p.dominated; });
  auto text = fmt::format("{} of {} points are not dominated. Hypervolume {:.6g}", good, front.points.size(),
                          front.hypervolume);
  if (front.refit_hypervolume) text += fmt::format(", refitted {:.6g}", *front.refit_hypervolume);
  text += fmt::format(", below ({}).", numbers_text(front.reference_point, ", ", 4));
  if (front.largest_gap) text += fmt::format(" Largest gap: {:.3g} of the diameter.", *front.largest_gap);
  return text + fmt::format(" Rounds: {}; ended: {}.", front.rounds, front.stopped_because);
}

}  // namespace

std::string front_table(const FrontRecord& front) {
  std::vector<std::vector<std::string>> rows{{"point", "preference"}};
  const bool refitted = front.refit_hypervolume.has_value();
  for (const auto& name : front.objectives) rows[0].push_back(name);
  for (std::size_t i = 0; refitted && i < front.objectives.size(); ++i) {
    rows[0].push_back(front.objectives[i] + ", refit");
  }
  rows[0].emplace_back("");
  for (const auto* point : along_the_front(front)) {
    std::vector<std::string> row{fmt::format("{}", point->index), numbers_text(point->preference, " ", 3)};
    const auto add = [&](const std::vector<double>& losses) {
      for (std::size_t i = 0; i < front.objectives.size(); ++i) {
        row.push_back(i < losses.size() ? fmt::format("{:.5g}", losses[i]) : "-");
      }
    };
    add(point->losses);
    if (refitted) add(point->refit_losses);
    row.push_back(marks_of(*point, front));
    rows.push_back(std::move(row));
  }
  return table(rows) + "\n" + verdict(front) + "\n";
}

}  // namespace moblo::cli
