#pragma once

#include "moblo/aggregation/gradient_matrix.hpp"
#include "moblo/aggregation/moco_weighting.hpp"
#include "moblo/methods/hypergradient_step.hpp"
#include "moblo/methods/moco_options.hpp"
#include "moblo/methods/tracker.hpp"

namespace moblo {

/// h_i = dF_i(alpha, w_T(alpha))/dalpha;  y_i <- y_i - beta_k (y_i - h_i);
/// lambda <- projection(lambda - gamma_k (Y Y' + rho I) lambda);  alpha <- alpha - mu Y' lambda;  the step of omega.
class Moco : public Method {
 public:
  explicit Moco(const MocoOptions& options = {})
      : options_(options), step_(options), weighting_(options.rho, options.projection) {}

  void start(BilevelProblem& problem, std::int64_t objectives) override;
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;
  std::optional<Held> holds(std::int64_t objectives) const override {
    auto held = step_.holds(objectives);
    held.alphas = objectives;  // the tracked gradients
    return held;
  }
  Snapshot before_step() const override;
  void undo_step(const Snapshot& before) override;

 private:
  MocoOptions options_;
  HypergradientStep step_;
  MocoWeighting weighting_;
  GradientTracker tracker_;
  GradientMatrix matrix_;  // scratch, not state
};

std::unique_ptr<Method> make_moco(const Json& options);

}  // namespace moblo
