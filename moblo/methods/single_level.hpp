#pragma once

#include <memory>

#include "moblo/aggregation/weighting.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/gradients/gradient_matrix.hpp"
#include "moblo/gradients/task_gradients.hpp"
#include "moblo/methods/method.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::methods {

enum class GradientsBy { parameters, representation };

/// What the methods on one level have beside the options of their weighting.
struct SingleLevelOptions {
  GradientsBy gradients = GradientsBy::parameters;

  static const OptionTable<SingleLevelOptions>& table();
};

constexpr auto enum_names(GradientsBy) {
  return std::array{std::pair{"parameters", GradientsBy::parameters},
                    std::pair{"representation", GradientsBy::representation}};
}

/// A weighting as a method; its options beside those of the weighting.
MethodInfo single_level_info(const WeightingInfo& weighting);
/// One network per task, trained with equal weights.
MethodInfo stl_info();

/// Multi-task training on one level: omega goes along the weighted gradients of the task losses on training batches,
/// alpha stays. Weights come from the gradients by the shared parameters or by the representation that the heads read;
/// in the latter case the weighted gradient passes the trunk once. The shared parameters take the weights of the
/// gradients, each head those of its own loss.
class SingleLevel : public Method {
 public:
  explicit SingleLevel(std::unique_ptr<Weighting> weighting, const SingleLevelOptions& options = {},
                       std::string name = "single level", bool network_per_task = false, Json options_of_both = {})
      : weighting_(std::move(weighting)),
        options_(options),
        name_(std::move(name)),
        network_per_task_(network_per_task),
        options_of_both_(options_of_both.is_null() ? SingleLevelOptions::table().write(options)
                                                   : std::move(options_of_both)) {}

  std::string name() const override { return name_; }
  Json options() const override { return options_of_both_; }
  MethodTraits traits() const override { return {.single_level = true, .network_a_task = network_per_task_}; }

  void start(BilevelProblem& problem, std::int64_t objectives) override;
  Measurement measure(const StepContext& context) override;
  void move(const Measurement& here, const StepContext& context, Updater& updater) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;
  std::optional<Held> holds(std::int64_t objectives) const override;

 private:
  TaskWeights one_backward_pass(const StepContext& context, TaskStep& seen, const Batch& batch);
  TaskWeights from_gradients(const StepContext& context, TaskStep& seen, const Batch& batch, StepRecord& record);
  void a_pass_a_task(BilevelProblem& problem, TaskStep& seen, const Batch& batch);
  void pass_to_representation(BilevelProblem& problem, TaskStep& seen, const Batch& batch);
  torch::Tensor direction(BilevelProblem& problem, const TaskWeights& weights);
  bool cuts() const { return options_.gradients == GradientsBy::representation; }

  std::unique_ptr<Weighting> weighting_;
  SingleLevelOptions options_;
  std::string name_;
  bool network_per_task_;
  Json options_of_both_;  // of the weighting too, where the catalogue made it
  // scratch, not state
  gradients::GradientMatrix matrix_;
  std::int64_t shared_ = 0;       // columns of it that all tasks have
  gradients::CutTaskLosses cut_;  // of this step
  Batch batch_;                   // of this step
};

}  // namespace moblo::methods

namespace moblo {

using methods::GradientsBy;
using methods::SingleLevel;
using methods::SingleLevelOptions;

}  // namespace moblo
