#pragma once

#include "moblo/aggregation/gradient_matrix.hpp"
#include "moblo/methods/bvfim_options.hpp"
#include "moblo/methods/method.hpp"

namespace moblo {

/// F = mean_i F_i, r_k = 1/log(1.1 (k+1)):
///   z <- z - s grad [f(alpha, z) + mu r |z|^2], from omega;  f_z = its value
///   y <- y - s' grad [F(alpha, y) + theta r |y|^2 - sigma r log(C + f_z - f(alpha, y) + [f(alpha, y)])], from omega
///   alpha <- alpha - mu_alpha grad_alpha of the same, f_z included;  omega <- y
/// [.] is a value without gradient: the logarithm's argument is C + f_z, never infeasible, and its gradient that of
/// f_z - f(alpha, y). So the barrier acts as the multiplier c = sigma r / (C + f_z) of f(alpha, y) - f_z.
class Bvfim : public Method {
 public:
  explicit Bvfim(const BvfimOptions& options = {}) : options_(options) {}

  void start(BilevelProblem&, std::int64_t objectives) override { objectives_ = objectives; }
  StepRecord step(const StepContext& context) override;
  Snapshot save() const override;
  void restore(const Snapshot& state) override;
  std::optional<Held> holds(std::int64_t objectives) const override {
    return Held{.omegas = objectives + 4};  // rows of F_i and q, z, y, direction
  }

 private:
  BvfimOptions options_;
  std::int64_t objectives_ = 0;
  GradientMatrix matrix_;  // scratch, not state
};

std::unique_ptr<Method> make_bvfim(const Json& options);

}  // namespace moblo
