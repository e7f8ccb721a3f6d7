#pragma once

#include <array>
#include <memory>
#include <utility>

#include "moblo/applications/toy_options.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo {

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

std::unique_ptr<BilevelProblem> make_double_well(const Json& options, std::uint64_t seed);

}  // namespace moblo
