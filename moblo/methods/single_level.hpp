#pragma once

#include <memory>

#include "moblo/aggregation/gradient_matrix.hpp"
#include "moblo/aggregation/weighting.hpp"
#include "moblo/gradients/task_gradients.hpp"
#include "moblo/methods/method.hpp"

namespace moblo {

/// Multi-task training on one level: omega goes along the weighted gradients of the task losses on training batches,
/// alpha stays. The shared parameters take the weights of the gradients, each head those of its own loss.
class SingleLevel : public Method {
 public:
  explicit SingleLevel(std::unique_ptr<Weighting> weighting) : weighting_(std::move(weighting)) {}

  void start(BilevelProblem& problem, std::int64_t objectives) override;
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;

 private:
  TaskWeights one_backward_pass(const StepContext& context, TaskStep& seen, const Batch& batch);
  TaskWeights a_pass_a_task(const StepContext& context, TaskStep& seen, const Batch& batch, StepRecord& record);
  torch::Tensor direction(const TaskWeights& weights, std::int64_t shared) const;

  std::unique_ptr<Weighting> weighting_;
  GradientMatrix matrix_;  // scratch, not state
};

/// `name` of the weighting catalogue, or "stl".
std::unique_ptr<Method> make_single_level(const std::string& name, const Json& options);

}  // namespace moblo
