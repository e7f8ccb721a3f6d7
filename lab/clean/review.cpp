#include "lab/clean/review.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {
namespace {

std::vector<double> uncertainty(const std::vector<double>& wrong) {
  std::vector<double> out;
  for (const double p : wrong) out.push_back(p * (1 - p));
  return out;
}

/// sum_c P(c) |p - e_c| with P what is known of the true class and p what a model that is not told the label says.
std::vector<double> influence(const ClassChances& posterior, const ClassChances& chances) {
  std::vector<double> out;
  for (std::size_t j = 0; j < chances.size(); ++j) {
    double squares = 0, expected = 0;
    for (std::size_t c = 0; c < chances.classes; ++c) squares += chances.row(j)[c] * chances.row(j)[c];
    for (std::size_t c = 0; c < chances.classes; ++c) {
      expected += posterior.row(j)[c] * std::sqrt(std::max(0.0, squares + 1 - 2 * chances.row(j)[c]));
    }
    out.push_back(expected);
  }
  return out;
}

/// Systematic sampling: samples lie side by side in the order of their given labels, each as long as its worth; equally
/// spaced points hit classes in proportion to their worth, and so the samples of a class.
std::vector<std::size_t> spread_over(const std::vector<double>& worth, const Labels& given,
                                     const std::vector<bool>& taken, std::size_t count, Rng& rng) {
  std::vector<std::size_t> order;
  for (const auto j : rng.permutation(static_cast<std::int64_t>(worth.size()))) {
    if (!taken[static_cast<std::size_t>(j)]) order.push_back(static_cast<std::size_t>(j));
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return given[a] < given[b]; });
  double all = 0;
  for (const auto j : order) all += worth[j];
  std::vector<std::size_t> chosen;
  if (all <= 0 || count == 0) return chosen;
  const double step = all / static_cast<double>(count);
  double next = step * rng.uniform(), walked = 0;
  for (const auto j : order) {
    walked += worth[j];
    if (walked <= next) continue;
    chosen.push_back(j);
    while (next < walked) next += step;
  }
  return chosen;
}

}  // namespace

std::vector<ReviewItem> review_items(const std::vector<double>& wrong, const ClassChances& posterior,
                                     const ClassChances& chances, const Labels& given, std::size_t count,
                                     std::uint64_t seed) {
  count = std::min(count, given.size());
  Rng rng(derive_seed(seed, "review"));
  std::vector<ReviewItem> items;
  std::vector<bool> taken(given.size(), false);
  const auto take = [&](std::size_t sample, const char* reason) {
    if (taken[sample] || items.size() >= count) return;
    taken[sample] = true;
    items.push_back({sample, reason});
  };
  const auto at_random = (3 * count + 9) / 10;
  const auto order = rng.permutation(static_cast<std::int64_t>(given.size()));
  for (std::size_t i = 0; i < at_random; ++i) take(static_cast<std::size_t>(order[i]), "random");
  const auto half = (count - items.size()) / 2;
  for (const auto j : spread_over(influence(posterior, chances), given, taken, half, rng)) take(j, "influential");
  for (const auto j : spread_over(uncertainty(wrong), given, taken, count - items.size(), rng)) take(j, "uncertain");
  std::vector<std::size_t> rest(given.size());
  std::iota(rest.begin(), rest.end(), std::size_t{0});
  std::stable_sort(rest.begin(), rest.end(),
                   [&](std::size_t a, std::size_t b) { return wrong[a] * (1 - wrong[a]) > wrong[b] * (1 - wrong[b]); });
  for (const auto j : rest) take(j, "uncertain");
  return items;
}

}  // namespace moblo::lab::clean
