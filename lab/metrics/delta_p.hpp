#pragma once

#include <vector>

namespace moblo::lab::metrics {

enum class Better { higher, lower };

/// One metric of one task: of the model, and of the model that was trained on this task alone.
struct ComparedMetric {
  double value, single_task;
  Better better = Better::higher;
};

/// One list of metrics per task.
using ComparedTasks = std::vector<std::vector<ComparedMetric>>;

/// Mean over the tasks of the mean relative improvement of a task's metrics, in per cent:
/// 100/m sum_i 1/N_i sum_j (-1)^{s_ij} (M_ij - M_ij^STL) / M_ij^STL, s_ij = 1 where lower is better.
/// Error(data) without tasks, for a task without metrics, and where a single-task value is 0 or not finite.
double delta_p(const ComparedTasks& tasks);

}  // namespace moblo::lab::metrics
