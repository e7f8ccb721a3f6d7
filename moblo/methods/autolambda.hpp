#pragma once

#include "moblo/methods/autolambda_options.hpp"
#include "moblo/methods/hypergradient_step.hpp"

namespace moblo {

/// alpha <- alpha - mu dF/dalpha with F = mean_i F_i(alpha, w_T(alpha)), then a step of omega.
class Autolambda : public Method {
 public:
  explicit Autolambda(const AutolambdaOptions& options = {}) : step_(options) {}

  void start(BilevelProblem& problem, std::int64_t objectives) override { step_.start(problem, objectives); }
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override { step_.restore(state); }
  std::optional<Held> holds(std::int64_t objectives) const override { return step_.holds(objectives); }

 private:
  HypergradientStep step_;
  GradientMatrix matrix_;  // scratch, not state
};

std::unique_ptr<Method> make_autolambda(const Json& options);

}  // namespace moblo
