#include "lab/metrics/auc.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace moblo::lab::metrics {

std::optional<double> area_under_roc(const std::vector<double>& scores, const std::vector<bool>& positive) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double rank_sum = 0, positives = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && scores[order[last]] == scores[order[first]]) ++last;
    const double mean_rank = (static_cast<double>(first + last) + 1) / 2;  // ranks first+1 .. last
    for (; first < last; ++first) {
      if (!positive[order[first]]) continue;
      rank_sum += mean_rank;
      ++positives;
    }
  }
  const double negatives = static_cast<double>(scores.size()) - positives;
  if (positives == 0 || negatives == 0) return std::nullopt;
  return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives);
}

}  // namespace moblo::lab::metrics
