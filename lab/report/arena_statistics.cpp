#include "lab/report/arena_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "moblo/base/rng.hpp"

namespace moblo::lab::report {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::size_t resamples = 2000;
constexpr std::uint64_t resampling_seed = 18;

/// [seed][method] of one problem.
std::vector<std::vector<double>> ranks_by_seed(const std::vector<std::vector<double>>& by_method) {
  std::vector<std::vector<double>> all;
  for (std::size_t seed = 0; seed < by_method.front().size(); ++seed) {
    std::vector<double> values;
    for (const auto& method : by_method) values.push_back(method[seed]);
    all.push_back(ranks_of(values));
  }
  return all;
}

std::vector<double> mean_of_rows(const std::vector<std::vector<double>>& rows, const std::vector<std::size_t>& chosen) {
  std::vector<double> mean(rows.front().size(), 0);
  for (const auto row : chosen) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += rows[row][i] / static_cast<double>(chosen.size());
  }
  return mean;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double rest = place - static_cast<double>(below);
  return rest == 0 ? values[below] : (1 - rest) * values[below] + rest * values[below + 1];
}

double best_by(const std::vector<ArenaRecord::Progress>& progress, double gradients) {
  double best = never;
  for (const auto& one : progress) {
    if (one.gradients <= gradients) best = one.best;
  }
  return best;
}

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

ArenaScores arena_scores(const ArenaRecord& arena, ArenaModel model) {
  ArenaScores scores;
  for (std::size_t p = 0; p < arena.problems.size(); ++p) {
    std::vector<std::vector<double>> by_method;
    bool any = false;
    for (std::size_t m = 0; m < arena.methods.size(); ++m) {
      std::vector<double> values(arena.seeds.size(), never);
      const auto& trials = arena.cell(p, m).trials;
      for (std::size_t s = 0; s < std::min(values.size(), trials.size()); ++s) {
        const auto& score = model == ArenaModel::joint ? trials[s].joint : trials[s].refit;
        if (!score) continue;
        values[s] = std::max(*score, arena.problems[p].resolution);
        any = true;
      }
      by_method.push_back(std::move(values));
    }
    if (!any) continue;
    scores.problems.push_back(p);
    scores.values.push_back(std::move(by_method));
  }
  return scores;
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto better = std::count_if(values.begin(), values.end(), [&](double other) { return other < value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    ranks.push_back(static_cast<double>(better) + (static_cast<double>(equal) + 1) / 2);
  }
  return ranks;
}

std::vector<MeanRank> mean_ranks(const ArenaScores& scores) {
  std::vector<std::vector<std::vector<double>>> ranks;
  for (const auto& problem : scores.values) ranks.push_back(ranks_by_seed(problem));
  if (ranks.empty()) return {};
  const std::size_t methods = scores.values.front().size(), seeds = ranks.front().size();
  const auto over_problems = [&](auto seeds_of_a_problem) {
    std::vector<double> mean(methods, 0);
    for (const auto& problem : ranks) {
      const auto of_problem = mean_of_rows(problem, seeds_of_a_problem());
      for (std::size_t m = 0; m < methods; ++m) mean[m] += of_problem[m] / static_cast<double>(ranks.size());
    }
    return mean;
  };
  std::vector<std::size_t> every(seeds);
  std::iota(every.begin(), every.end(), 0);
  const auto mean = over_problems([&] { return every; });
  Rng rng(resampling_seed);
  std::vector<std::vector<double>> drawn(methods);
  for (std::size_t i = 0; i < resamples; ++i) {
    const auto one = over_problems([&] {
      std::vector<std::size_t> seeds_drawn;
      for (std::size_t s = 0; s < seeds; ++s) seeds_drawn.push_back(rng.below(seeds));
      return seeds_drawn;
    });
    for (std::size_t m = 0; m < methods; ++m) drawn[m].push_back(one[m]);
  }
  std::vector<MeanRank> result;
  for (std::size_t m = 0; m < methods; ++m) {
    result.push_back({mean[m], quantile(drawn[m], 0.025), quantile(drawn[m], 0.975)});
  }
  return result;
}

std::vector<std::vector<double>> ratios_to_best(const ArenaScores& scores) {
  std::vector<std::vector<double>> ratios;
  for (const auto& problem : scores.values) {
    std::vector<double> medians;
    for (const auto& method : problem) medians.push_back(median_of(method));
    const double best = *std::min_element(medians.begin(), medians.end());
    ratios.resize(medians.size());
    for (std::size_t m = 0; m < medians.size(); ++m) {
      ratios[m].push_back(std::isinf(medians[m]) ? never : medians[m] / best);
    }
  }
  return ratios;
}

double share_within(const std::vector<double>& ratios, double factor) {
  if (ratios.empty()) return 0;
  const auto within = std::count_if(ratios.begin(), ratios.end(), [&](double ratio) { return ratio <= factor; });
  return static_cast<double>(within) / static_cast<double>(ratios.size());
}

std::vector<ArenaRecord::Progress> median_progress(const ArenaRecord::Cell& cell, std::int64_t budget,
                                                   std::size_t count) {
  std::vector<ArenaRecord::Progress> curve;
  for (std::size_t i = 0; i <= count && !cell.trials.empty(); ++i) {
    const double place = static_cast<double>(budget) * static_cast<double>(i) / static_cast<double>(count);
    std::vector<double> values;
    for (const auto& trial : cell.trials) values.push_back(best_by(trial.progress, place));
    const double median = median_of(values);
    if (std::isfinite(median)) curve.push_back({place, median});
  }
  return curve;
}

}  // namespace moblo::lab::report
