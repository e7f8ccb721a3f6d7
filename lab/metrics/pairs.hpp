#pragma once

#include <cstddef>
#include <cstdint>

namespace moblo::lab::metrics {

/// Error(data) unless there is one prediction a truth, and at least one of them.
void refuse_unless_paired(std::size_t truths, std::size_t predictions);

/// sum / count; Error(data) where nothing was counted: the mean of nothing is no metric.
double measured(double sum, std::int64_t count);

}  // namespace moblo::lab::metrics
