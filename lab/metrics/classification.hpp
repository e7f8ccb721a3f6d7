#pragma once

#include <cstdint>
#include <vector>

namespace moblo::lab::metrics {

/// Share of the predictions that are right.
double accuracy(const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& predicted);

/// Mean over the classes that occur in either list of 2 tp / (2 tp + fp + fn), as scikit-learn's f1_score(average =
/// "macro") has it.
double macro_f1(const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& predicted);

/// 2 tp / (2 tp + fp + fn) of the flagged samples; 0 where nothing is positive and nothing flagged.
double f1(const std::vector<bool>& positive, const std::vector<bool>& flagged);

}  // namespace moblo::lab::metrics
