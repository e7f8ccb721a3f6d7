#include "moblo/aggregation/aggregate.hpp"

namespace moblo {

Aggregate aggregate(Weighting& weighting, TaskGradients rows, TaskStep step) {
  const WeightingNeeds needs = weighting.needs();
  if (needs.entries) {
    weighting.rewrite(step, GradientRows<double>{rows.data(), rows.rows(), rows.cols(), rows.cols()});
  }
  if (needs.gramian) step.gramian = rows * rows.transpose();
  Aggregate out{.weights = weighting.weigh(step), .direction = {}};
  out.direction = rows.transpose() * out.weights.shared;
  return out;
}

}  // namespace moblo
