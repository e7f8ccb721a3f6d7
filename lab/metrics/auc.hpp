#pragma once

#include <optional>
#include <vector>

namespace moblo::lab::metrics {

/// P(score of a positive > score of a negative), ties counting one half. Nothing where one of the classes is empty.
std::optional<double> area_under_roc(const std::vector<double>& scores, const std::vector<bool>& positive);

}  // namespace moblo::lab::metrics
