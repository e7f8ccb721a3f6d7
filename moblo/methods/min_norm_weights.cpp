#include "moblo/methods/min_norm_weights.hpp"

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/weighting_steps.hpp"

namespace moblo::methods {

MinNormWeights::MinNormWeights() {
  const auto& info = find_weighting("mgda", "min-norm weights");
  mgda_ = info.make(info.resolve(Json::object(), {}));
}

Eigen::VectorXd MinNormWeights::weigh(const Eigen::MatrixXd& gramian, StepRecord& record) {
  TaskStep seen;
  seen.gramian = gramian;
  const TaskWeights weights = mgda_->weigh(seen);
  record.weights = record.solved_weights = to_vector(weights.shared);
  record.qp_status = weights.status;
  record.qp_residual = weights.residual;
  return weights.shared;
}

void MinNormWeights::save(Snapshot& to) const {
  save_weighting(*mgda_, to);
}

void MinNormWeights::restore(const Snapshot& from) {
  restore_weighting(from, *mgda_);
}

}  // namespace moblo::methods
