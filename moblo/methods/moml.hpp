#pragma once

#include "moblo/aggregation/gradient_matrix.hpp"
#include "moblo/methods/hypergradient_step.hpp"
#include "moblo/methods/moml_options.hpp"
#include "moblo/qp/min_norm.hpp"

namespace moblo {

/// h_i = dF_i(alpha, w_T(alpha))/dalpha;  lambda = argmin over the simplex of |sum lambda_i h_i|^2;
/// alpha <- alpha - mu sum lambda_i h_i;  then the step of omega.
class Moml : public Method {
 public:
  explicit Moml(const MomlOptions& options = {}) : step_(options) {}

  void start(BilevelProblem& problem, std::int64_t objectives) override;
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;
  std::optional<Held> holds(std::int64_t objectives) const override { return step_.holds(objectives); }

 private:
  HypergradientStep step_;
  qp::MinNormSolver solver_;
  GradientMatrix matrix_;  // scratch, not state
};

std::unique_ptr<Method> make_moml(const Json& options);

}  // namespace moblo
