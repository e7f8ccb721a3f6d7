#pragma once

#include "moblo/conformance/front_problem.hpp"

namespace moblo::conformance {

/// F_i = x_i^2 / |(x_1^2, x_2^2, x_3^2)| + |y|^2, i = 1..3.
struct FrontOctantOptions {
  std::int64_t dimension = 5;  ///< of alpha and of omega
  double condition = 3;        ///< largest over smallest eigenvalue of H; the largest is 1
  double start = 1;            ///< distance of omega_0 and of omega*(alpha_0) from 0
  Dtype dtype = Dtype::f64;

  static const OptionTable<FrontOctantOptions>& table();
};

ProblemInfo front_octant_info();

/// The part of the unit sphere with no negative coordinate.
class SphereOctant : public KnownFront {
 public:
  std::size_t objectives() const override { return 3; }
  double diameter() const override;
  double distance(const LossVector& losses) const override;
  std::optional<LossVector> on_ray(const LossVector& preference, const LossVector& reference) const override;
  /// A low-discrepancy sequence in z and the angle around its axis, of which the area is the product.
  std::vector<LossVector> points(std::size_t count) const override;
};

/// F_i = h_i + |y|^2, h_i = x_i^2 / sqrt(sum_j x_j^4), above the lower level of FrontProblem; x = (1, 1, 1) + E u lies
/// in the plane sum_j x_j = 3, u are omega's first two coordinates (E'E = I), y the others.
///
/// x_i = c sqrt(f_i) reaches every f >= 0: the whole octant, its edges and corners at finite u (an edge is 1.22 from
/// the middle, a corner 2.45), and x never vanishes, so that F is smooth. A vanishing h_i takes its gradient with it,
/// but not that of |y|^2: DTLZ2's (1 + |y|^2) h_i would be stationary on an edge with any y. Gradients weighted with
/// any lambda of the simplex have the part 2 y, and where y = 0 those with lambda a multiple of h cancel, since |h| = 1
/// everywhere. So the Pareto set is y = 0 with any u.
class FrontOctant : public FrontProblem {
 public:
  FrontOctant(const FrontOctantOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  const KnownFront& front() const override { return front_; }

 protected:
  Eigen::VectorXd nearest_solution(const Eigen::VectorXd& omega) const override;

 private:
  torch::Tensor plane_;  // 3 x 2, orthonormal columns of sum 0
  SphereOctant front_;
};

}  // namespace moblo::conformance
