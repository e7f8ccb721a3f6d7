#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/report/arena_score.hpp"

namespace moblo::lab::report {

/// Scores by problem, method and seed, none below the problem's resolution; infinite where a run ended badly, or the
/// method does not suit the problem. Problems of which no method has a score of this model are left out.
struct ArenaScores {
  std::vector<std::size_t> problems;  ///< their places in the record
  std::vector<std::vector<std::vector<double>>> values;
};
ArenaScores arena_scores(const ArenaRecord& arena, ArenaModel model);

/// Of numbers that may be infinite; NaN of none.
double median_of(std::vector<double> values);

/// The place of each value among all, from 1; equal ones share the mean of their places.
std::vector<double> ranks_of(const std::vector<double>& values);

struct MeanRank {
  double mean = 0;
  double low = 0, high = 0;  ///< 95 % of the means over seeds drawn with replacement lie between
};
/// By method: ranks within a problem and a seed, averaged over seeds, then over problems. Seeds are drawn anew for each
/// problem, the same for all of its methods, since their runs are paired.
std::vector<MeanRank> mean_ranks(const ArenaScores& scores);

/// By method: how many times the best median its own is, for each problem; infinite where it has none.
std::vector<std::vector<double>> ratios_to_best(const ArenaScores& scores);

/// Share of the problems on which a ratio is at most `factor`: the performance profile of Dolan and Moré.
double share_within(const std::vector<double>& ratios, double factor);

/// The median over seeds of the best score so far, at `count` places up to the budget; places at which more than half
/// of the seeds have no value yet are left out.
std::vector<ArenaRecord::Progress> median_progress(const ArenaRecord::Cell& cell, std::int64_t budget,
                                                   std::size_t count);

}  // namespace moblo::lab::report
