#pragma once

#include "moblo/aggregation/gradient_matrix.hpp"
#include "moblo/methods/bome_options.hpp"
#include "moblo/methods/lower_loop.hpp"

namespace moblo {

/// F = mean_i F_i;  z <- z - mu (grad F + max(c, 0) grad q),  c = (phi - <grad F, grad q>) / (|grad q|^2 + floor).
class Bome : public Method {
 public:
  explicit Bome(const BomeOptions& options = {}) : options_(options) {}

  void start(BilevelProblem& problem, std::int64_t objectives) override {
    lower_loop_.start(options_, problem, objectives);
  }
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override { lower_loop_.restore(state); }
  std::optional<Held> holds(std::int64_t) const override { return lower_loop_.held_by_constrained_step(); }

 private:
  double multiplier(const Eigen::MatrixXd& gramian, double q) const;

  BomeOptions options_;
  LowerLoop lower_loop_;
  GradientMatrix matrix_;  // scratch, not state
};

std::unique_ptr<Method> make_bome(const Json& options);

}  // namespace moblo
