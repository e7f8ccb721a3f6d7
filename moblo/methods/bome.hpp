#pragma once

#include "moblo/aggregation/gradient_matrix.hpp"
#include "moblo/methods/bome_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo {

/// F = mean_i F_i;  z <- z - mu (grad F + max(c, 0) grad q),  c = (phi - <grad F, grad q>) / (|grad q|^2 + floor).
class Bome : public Method {
 public:
  explicit Bome(const BomeOptions& options = {}) : options_(options) {}

  void start(BilevelProblem& problem, std::int64_t objectives) override;
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;

 private:
  double multiplier(const Eigen::MatrixXd& gramian, double q) const;

  BomeOptions options_;
  std::int64_t objectives_ = 0;
  torch::Tensor initial_omega_;  // only for inner_start = "initial"
  GradientMatrix matrix_;        // scratch, not state
};

std::unique_ptr<Method> make_bome(const Json& options);

}  // namespace moblo
