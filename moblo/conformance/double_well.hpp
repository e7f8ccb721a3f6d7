#pragma once

#include <array>
#include <memory>
#include <utility>

#include "moblo/base/options.hpp"
#include "moblo/problem/dtype.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::conformance {

/// f = 1/2 |w - (a, a^2)|^2,  F_{1,2} = 1/2 (w_2 - 1)^2 +- tilt w_1: two wells at a = +-1 and a barrier at 0.
struct DoubleWellOptions {
  double tilt = 0.3;
  double alpha = 1.6;               ///< alpha_0
  std::vector<double> omega{0, 0};  ///< omega_0
  Dtype dtype = Dtype::f64;

  static const OptionTable<DoubleWellOptions>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

ProblemInfo double_well_info();

/// f = 1/2 |w - (a, a^2)|^2,  F_{1,2} = 1/2 (w_2 - 1)^2 +- tilt w_1.
///
/// On the lower solutions w = (a, a^2) the objectives are 1/2 (a^2 - 1)^2 +- tilt a, and a is Pareto stationary where
/// |2 a^3 - 2 a| <= tilt: two wells around a = +-1, and the top of the barrier around 0.
class DoubleWell : public BilevelProblem {
 public:
  explicit DoubleWell(const DoubleWellOptions& options = {});

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  torch::Tensor lower_loss(const Batch& batch) override;
  ProblemTraits traits() const override { return double_well_info().traits; }
  std::optional<double> distance_to_solution_set() override;

  /// Left well, barrier, right well.
  std::array<std::pair<double, double>, 3> stationary_intervals() const;

 private:
  double tilt_;
  torch::Tensor alpha_, omega_;
};

}  // namespace moblo::conformance
