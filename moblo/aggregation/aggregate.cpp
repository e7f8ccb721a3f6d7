#include "moblo/aggregation/aggregate.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"

namespace moblo::aggregation {

namespace {

void refuse_bad_rows(const Weighting& weighting, const WeightingNeeds& needs, const TaskGradients& rows,
                     const TaskStep& step) {
  const auto refuse = [](const std::string& given, const std::string& rule, const std::string& next,
                         ErrorKind kind = ErrorKind::data) { throw Error(kind, given, rule, next); };
  const auto wanted = weighting.tasks() * needs.samples;
  if (weighting.tasks() == 0) refuse("a weighting", "was not started", "Call start(number of tasks) first");
  if (rows.rows() != wanted) {
    refuse(fmt::format("{} gradients", rows.rows()), fmt::format("the weighting was started for {}", wanted),
           "Give one row per task and batch");
  }
  if (!rows.allFinite())
    refuse("the gradients", "hold values that are not finite", "Check the losses", ErrorKind::numeric);
  if (needs.losses && step.losses.size() != weighting.tasks()) {
    refuse(fmt::format("{} losses", step.losses.size()), fmt::format("there are {} tasks", weighting.tasks()),
           "Give one loss per task");
  }
}

}  // namespace

Aggregate aggregate(Weighting& weighting, TaskGradients rows, TaskStep step) {
  const WeightingNeeds needs = weighting.needs();
  refuse_bad_rows(weighting, needs, rows, step);
  if (needs.entries) {
    weighting.rewrite(step, GradientRows<double>{rows.data(), rows.rows(), rows.cols(), rows.cols()});
  }
  if (needs.gramian) step.gramian = rows * rows.transpose();
  Aggregate out{.weights = weighting.weigh(step), .direction = {}};
  out.direction = rows.transpose() * out.weights.shared;
  return out;
}

}  // namespace moblo::aggregation
