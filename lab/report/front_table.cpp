#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/front_page.hpp"
#include "lab/report/number_text.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::report {
namespace {

using FrontPoint = records::FrontRecord::Point;

std::vector<std::string> texts(const std::vector<double>& values) {
  std::vector<std::string> out;
  for (const double value : values) out.push_back(number_text(value));
  return out;
}

/// A cell for each of `count` values, dashes where there are none.
void add_cells(const std::vector<double>& values, std::size_t count, std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < count; ++i) cells.push_back(i < values.size() ? number_text(values[i]) : "–");
}

std::string standing(const records::FrontRecord& front, const FrontPoint& point) {
  std::vector<std::string> words;
  if (front.knee == point.index) words.emplace_back("knee");
  for (std::size_t i = 0; i < front.extremes.size() && i < front.objectives.size(); ++i) {
    if (front.extremes[i] == point.index) words.push_back("best " + front.objectives[i]);
  }
  if (point.dominated) words.emplace_back("dominated");
  if (point.refit_dominated.value_or(false)) {
    words.emplace_back(point.dominated ? "also when retrained" : "dominated when retrained");
  }
  if (!point.losses.empty() && !has_finite_losses(point)) words.emplace_back("not finite");
  if (words.empty() && !point.losses.empty()) return "on the front";
  return base::join(words);
}

bool has_refits(const records::FrontRecord& front) {
  return std::any_of(front.points.begin(), front.points.end(),
                     [](const FrontPoint& p) { return !p.refit_losses.empty(); });
}

}  // namespace

bool has_finite_losses(const FrontPoint& point) {
  return !point.losses.empty() &&
         std::all_of(point.losses.begin(), point.losses.end(), [](double value) { return std::isfinite(value); });
}

std::size_t count_on_front(const records::FrontRecord& front) {
  return static_cast<std::size_t>(std::count_if(front.points.begin(), front.points.end(), [](const FrontPoint& point) {
    return has_finite_losses(point) && !point.dominated;
  }));
}

std::string front_title(const records::FrontRecord& front) {
  return front.title.empty() ? fmt::format("Front of {}", front.problem) : front.title;
}

Table front_table(const records::FrontRecord& front) {
  const std::size_t m = front.objectives.size();
  const bool refits = has_refits(front);
  Table table{{"point", "preference"}, {}, {true, true}};
  const auto column = [&table](const std::string& title, bool numeric) {
    table.header.push_back(title);
    table.numeric.push_back(numeric);
  };
  for (const auto& name : front.objectives) column(name, true);
  if (refits) {
    for (const auto& name : front.objectives) column(name + ", retrained", true);
  }
  for (const auto* title : {"standing", "status", "run"}) column(title, false);
  for (const auto& point : front.points) {
    std::vector<std::string> cells{std::to_string(point.index), base::join(texts(point.preference))};
    add_cells(point.losses, m, cells);
    if (refits) add_cells(point.refit_losses, m, cells);
    cells.insert(cells.end(), {standing(front, point), point.status, point.run});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string front_sentence(const records::FrontRecord& front) {
  auto text = fmt::format("{} points, {} on the front; hypervolume {}", front.points.size(), count_on_front(front),
                          number_text(front.hypervolume));
  if (front.refit_hypervolume) text += fmt::format(", retrained {}", number_text(*front.refit_hypervolume));
  if (front.knee) text += fmt::format("; knee: point {}", *front.knee);
  if (front.largest_gap) text += fmt::format("; largest gap {} of the diameter", number_text(*front.largest_gap));
  return text;
}

}  // namespace moblo::lab::report
