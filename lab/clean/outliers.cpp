#include "lab/clean/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace moblo::lab::clean {
namespace {

constexpr double one_deviation_below = 0.15865525393145707, one_deviation_above = 1 - one_deviation_below;
constexpr std::size_t fewest_of_class = 30;

double quantile(std::vector<double> values, double q) {
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

struct Middle {
  double median = 0, lower = 0;  // and the deviation below it
};

Middle middle_of(const std::vector<double>& values) {
  const double median = quantile(values, 0.5);
  return {median, median - quantile(values, one_deviation_below)};
}

/// Equal rows have no room at all; for them, half of the smallest room that there is.
std::vector<double> logarithms(const std::vector<double>& radius) {
  double smallest = 0;
  for (const double r : radius) {
    if (r > 0 && (smallest == 0 || r < smallest)) smallest = r;
  }
  std::vector<double> out;
  for (const double r : radius) out.push_back(std::log(r > 0 ? r : smallest > 0 ? smallest / 2 : 1));
  return out;
}

std::vector<double> scores(const std::vector<double>& values, const Labels& classes, std::size_t class_count) {
  std::vector<std::vector<double>> of_class(class_count);
  for (std::size_t j = 0; j < values.size(); ++j) of_class[static_cast<std::size_t>(classes[j])].push_back(values[j]);
  const Middle all = middle_of(values);
  std::vector<Middle> middles;
  for (const auto& members : of_class) middles.push_back(members.size() < fewest_of_class ? all : middle_of(members));
  std::vector<double> out;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const auto& middle = middles[static_cast<std::size_t>(classes[j])];
    out.push_back(middle.lower > 0 ? (values[j] - middle.median) / middle.lower : 0);
  }
  const double skew = quantile(out, one_deviation_above);
  if (skew > 1) {
    for (auto& score : out) score /= skew;
  }
  return out;
}

}  // namespace

Outliers find_outliers(const std::vector<double>& radius, const Labels& classes, std::size_t class_count,
                       double false_share) {
  Outliers found;
  if (radius.empty()) return found;
  found.score = scores(logarithms(radius), classes, class_count);
  std::vector<std::size_t> order(radius.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return found.score[a] > found.score[b]; });
  std::size_t length = 0;
  for (std::size_t r = 0; r < order.size(); ++r) {
    const double p = 0.5 * std::erfc(found.score[order[r]] / std::sqrt(2.0));
    if (p <= false_share * static_cast<double>(r + 1) / static_cast<double>(order.size())) length = r + 1;
  }
  found.listed.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(length));
  found.least_score = length > 0 ? found.score[order[length - 1]] : std::numeric_limits<double>::infinity();
  return found;
}

}  // namespace moblo::lab::clean
