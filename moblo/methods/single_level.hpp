#pragma once

#include <memory>

#include "moblo/aggregation/gradient_matrix.hpp"
#include "moblo/aggregation/weighting.hpp"
#include "moblo/gradients/task_gradients.hpp"
#include "moblo/methods/method.hpp"
#include "moblo/methods/single_level_options.hpp"

namespace moblo {

/// Multi-task training on one level: omega goes along the weighted gradients of the task losses on training batches,
/// alpha stays. Weights come from the gradients by the shared parameters or by the representation that the heads read;
/// in the latter case the weighted gradient passes the trunk once. The shared parameters take the weights of the
/// gradients, each head those of its own loss.
class SingleLevel : public Method {
 public:
  explicit SingleLevel(std::unique_ptr<Weighting> weighting, const SingleLevelOptions& options = {})
      : weighting_(std::move(weighting)), options_(options) {}

  void start(BilevelProblem& problem, std::int64_t objectives) override;
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;
  std::optional<Held> holds(std::int64_t objectives) const override;

 private:
  TaskWeights one_backward_pass(const StepContext& context, TaskStep& seen, const Batch& batch);
  TaskWeights from_gradients(const StepContext& context, TaskStep& seen, const Batch& batch, StepRecord& record);
  void a_pass_a_task(BilevelProblem& problem, TaskStep& seen, const Batch& batch);
  void pass_to_representation(BilevelProblem& problem, TaskStep& seen, const Batch& batch);
  torch::Tensor direction(BilevelProblem& problem, const TaskWeights& weights);
  bool cuts() const { return options_.gradients == TaskGradients::representation; }

  std::unique_ptr<Weighting> weighting_;
  SingleLevelOptions options_;
  // scratch, not state
  GradientMatrix matrix_;
  std::int64_t shared_ = 0;  // columns of it that all tasks have
  CutTaskLosses cut_;        // of this step
};

/// `name` of the weighting catalogue, or "stl".
std::unique_ptr<Method> make_single_level(const std::string& name, const Json& options);

}  // namespace moblo
