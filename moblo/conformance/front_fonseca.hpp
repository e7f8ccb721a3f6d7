#pragma once

#include "moblo/conformance/front_curve.hpp"
#include "moblo/conformance/front_problem.hpp"

namespace moblo::conformance {

/// F_1 = 1 - exp(-|omega - c|^2), F_2 = 1 - exp(-|omega + c|^2).
struct FrontFonsecaOptions {
  std::int64_t dimension = 5;  ///< of alpha and of omega
  double condition = 3;        ///< largest over smallest eigenvalue of H; the largest is 1
  double start = 1;            ///< distance of omega_0 and of omega*(alpha_0) from 0
  double half_distance = 1;    ///< |c|
  Dtype dtype = Dtype::f64;

  static const OptionTable<FrontFonsecaOptions>& table();
};

ProblemInfo front_fonseca_info();

/// Fonseca and Fleming's objectives above the lower level of FrontProblem.
///
/// Both gradients are multiples of omega - c and omega + c, so the Pareto set is the segment between c and -c. With
/// l = |c| and omega = -t c, the front is F = (1 - exp(-l^2 (1 + t)^2), 1 - exp(-l^2 (1 - t)^2)), t in [-1, 1]. It is
/// concave where t^2 < 1 - 1 / (2 l^2), and convex all over for l^2 <= 1/2.
class FrontFonseca : public FrontProblem {
 public:
  FrontFonseca(const FrontFonsecaOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  const KnownFront& front() const override { return front_; }

  /// The front at omega = -t c.
  LossVector front_at(double t) const { return front_.at((1 + t) / 2); }
  /// No minimiser of w F_1 + (1 - w) F_2, 0 <= w <= 1, has |t| below this; 0 where the front is convex.
  double weighted_sum_gap() const;

 protected:
  Eigen::VectorXd nearest_solution(const Eigen::VectorXd& omega) const override;

 private:
  Eigen::VectorXd end_;  // c
  torch::Tensor c_;
  FrontCurve front_;
};

}  // namespace moblo::conformance
