#pragma once

#include "moblo/conformance/front_curve.hpp"
#include "moblo/conformance/front_problem.hpp"

namespace moblo::conformance {

/// F_1 = |omega - c|^2, F_2 = |omega + c|^2, |c| = 1/2.
struct FrontQuadraticOptions {
  std::int64_t dimension = 5;  ///< of alpha and of omega
  double condition = 3;        ///< largest over smallest eigenvalue of H; the largest is 1
  double start = 1;            ///< distance of omega_0 and of omega*(alpha_0) from 0
  Dtype dtype = Dtype::f64;

  static const OptionTable<FrontQuadraticOptions>& table();
};

ProblemInfo front_quadratic_info();

/// F_1 = |omega - c|^2, F_2 = |omega + c|^2, |c| = 1/2, above the lower level of FrontProblem.
///
/// The Pareto set is the segment from c to -c, where F = (s^2, (1 - s)^2): the convex front sqrt F_1 + sqrt F_2 = 1.
class FrontQuadratic : public FrontProblem {
 public:
  FrontQuadratic(const FrontQuadraticOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  const KnownFront& front() const override { return front_; }

 protected:
  Eigen::VectorXd nearest_solution(const Eigen::VectorXd& omega) const override;

 private:
  Eigen::VectorXd end_;  // c
  torch::Tensor c_;
  FrontCurve front_;
};

}  // namespace moblo::conformance
