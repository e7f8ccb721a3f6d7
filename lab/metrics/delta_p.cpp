#include "lab/metrics/delta_p.hpp"

#include <fmt/format.h>

#include <cmath>

#include "moblo/base/error.hpp"

namespace moblo::lab::metrics {
namespace {

double improvement(const ComparedMetric& metric) {
  if (metric.single_task == 0 || !std::isfinite(metric.single_task)) {
    throw Error(ErrorKind::data, fmt::format("a single-task metric of {}", metric.single_task),
                "nothing can be relative to it", "Train the single-task models for longer, or use another metric");
  }
  const double change = (metric.value - metric.single_task) / metric.single_task;
  return metric.better == Better::higher ? change : -change;
}

}  // namespace

double delta_p(const ComparedTasks& tasks) {
  double sum = 0;
  for (const auto& metrics : tasks) {
    double of_task = 0;
    for (const auto& metric : metrics) of_task += improvement(metric);
    if (metrics.empty()) throw Error(ErrorKind::data, "a task without metrics", "cannot be compared", "");
    sum += of_task / static_cast<double>(metrics.size());
  }
  if (tasks.empty()) throw Error(ErrorKind::data, "no tasks", "delta_p is a mean over tasks", "");
  return 100 * sum / static_cast<double>(tasks.size());
}

}  // namespace moblo::lab::metrics
