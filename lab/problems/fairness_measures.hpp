#pragma once

#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

#include "lab/problems/fairness_options.hpp"

namespace moblo::lab::problems {

/// The gap between the mean scores of groups, as a loss. With two groups (mean_1 - mean_2)^2; with more the mean over
/// the groups of (mean_g - mean of all)^2. Over everybody (parity) or over positive labels (opportunity). A group that
/// does not occur in the batch does not count.
torch::Tensor squared_gap(const torch::Tensor& scores, const torch::Tensor& cells, std::int64_t groups,
                          GapMeasure measure);

/// Decisions (log-odds above 0) against labels, by group, in per cent: accuracy, balanced accuracy (mean of the two
/// labels'), the gaps in the rates of positive decisions among all (parity) and among positive labels (opportunity),
/// largest less smallest. `by_group`: also the rates themselves.
std::vector<std::pair<std::string, double>> decision_metrics(const std::string& part, const torch::Tensor& log_odds,
                                                             const torch::Tensor& cells,
                                                             const std::vector<std::string>& groups, bool by_group);

/// P(group) P(label) / P(group, label) of each cell: with these weights the label says nothing of the group (Kamiran
/// and Calders, Knowledge and Information Systems 2012).
std::vector<double> independent_weights(const torch::Tensor& cells, std::int64_t groups);

}  // namespace moblo::lab::problems
