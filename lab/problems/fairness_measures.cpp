#include "lab/problems/fairness_measures.hpp"

#include <torch/torch.h>

#include <algorithm>

#include "lab/problems/fairness_data.hpp"

namespace moblo::lab::problems {
namespace {

/// A mean over the chosen samples, and how many they are; 0 where there is none.
struct ChosenMean {
  torch::Tensor mean, count;
};

ChosenMean mean_where(const torch::Tensor& values, const torch::Tensor& chosen) {
  const auto weights = chosen.to(values.scalar_type());
  const auto count = weights.sum();
  return {(values * weights).sum() / count.clamp_min(1), count};
}

/// Whether there is a sample, as 1 or 0.
torch::Tensor any(const ChosenMean& mean) {
  return mean.count.gt(0).to(mean.mean.scalar_type());
}

double rate_where(const torch::Tensor& flags, const torch::Tensor& chosen) {
  return 100 * mean_where(flags, chosen).mean.item().toDouble();
}

double spread(const std::vector<double>& rates) {
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  return *most - *least;
}

}  // namespace

torch::Tensor squared_gap(const torch::Tensor& scores, const torch::Tensor& cells, std::int64_t groups,
                          GapMeasure measure) {
  const auto counted = measure == GapMeasure::parity ? torch::ones_like(cells) : labels_of_cells(cells);
  const auto group = groups_of_cells(cells);
  const auto mean_of_group = [&](std::int64_t g) { return mean_where(scores, counted * group.eq(g)); };
  if (groups == 2) {
    const auto first = mean_of_group(0), second = mean_of_group(1);
    return any(first) * any(second) * (second.mean - first.mean).square();
  }
  const auto overall = mean_where(scores, counted);
  auto sum = torch::zeros_like(overall.mean), present = torch::zeros_like(overall.mean);
  for (std::int64_t g = 0; g < groups; ++g) {
    const auto mean = mean_of_group(g);
    sum = sum + any(mean) * (mean.mean - overall.mean).square();
    present = present + any(mean);
  }
  return sum / present.clamp_min(1);
}

std::vector<std::pair<std::string, double>> decision_metrics(const std::string& part, const torch::Tensor& log_odds,
                                                             const torch::Tensor& cells,
                                                             const std::vector<std::string>& groups, bool by_group) {
  const auto labels = labels_of_cells(cells), group = groups_of_cells(cells);
  const auto decisions = log_odds.gt(0).to(torch::kFloat64), right = decisions.eq(labels).to(torch::kFloat64);
  std::vector<double> positive_rates, true_positive_rates;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto members = group.eq(static_cast<std::int64_t>(g));
    positive_rates.push_back(rate_where(decisions, members));
    true_positive_rates.push_back(rate_where(decisions, members * labels));
  }
  std::vector<std::pair<std::string, double>> metrics{
      {part + " accuracy", 100 * right.mean().item().toDouble()},
      {part + " balanced accuracy", (rate_where(right, labels) + rate_where(right, 1 - labels)) / 2},
      {part + " parity gap", spread(positive_rates)},
      {part + " opportunity gap", spread(true_positive_rates)}};
  for (std::size_t g = 0; by_group && g < groups.size(); ++g) {
    metrics.emplace_back(part + " positive rate / " + groups[g], positive_rates[g]);
    metrics.emplace_back(part + " true positive rate / " + groups[g], true_positive_rates[g]);
  }
  return metrics;
}

std::vector<double> independent_weights(const torch::Tensor& cells, std::int64_t groups) {
  const auto counts = torch::bincount(cells, {}, 2 * groups).to(torch::kFloat64).view({groups, 2});
  const auto expected = counts.sum(1, true) * counts.sum(0, true) / counts.sum();
  const auto weights = (expected / counts).contiguous();
  return {weights.data_ptr<double>(), weights.data_ptr<double>() + weights.numel()};
}

}  // namespace moblo::lab::problems
