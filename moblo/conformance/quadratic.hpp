#pragma once

#include <Eigen/Core>
#include <memory>

#include "moblo/base/options.hpp"
#include "moblo/problem/dtype.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::conformance {

/// f = 1/2 (w - B a - b)' H (w - B a - b),  F_i = 1/2 |w - u_i|^2 + upper_curvature/2 |a - v_i|^2.
struct QuadraticOptions {
  std::int64_t n = 3;            ///< dimension of alpha
  std::int64_t p = 5;            ///< dimension of omega
  std::int64_t m = 3;            ///< objectives
  double condition = 10;         ///< largest over smallest eigenvalue of H; the largest is 1
  double upper_curvature = 0.5;  ///< 0 makes grad_alpha F_i zero
  Dtype dtype = Dtype::f64;

  static const OptionTable<QuadraticOptions>& table();
};

ProblemInfo quadratic_info();

/// f = 1/2 (w - B a - b)' H (w - B a - b),  F_i = 1/2 |w - u_i|^2 + s/2 |a - v_i|^2.
///
/// omega*(a) = B a + b. All reduced objectives have the Hessian B'B + sI, so their Pareto set is the convex hull of
/// their minimisers c_i = (B'B + sI)^-1 (B'(u_i - b) + s v_i), and the solution set that of (c_i, omega*(c_i)).
class Quadratic : public BilevelProblem {
 public:
  Quadratic(const QuadraticOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  torch::Tensor lower_loss(const Batch& batch) override;
  ProblemTraits traits() const override { return quadratic_info().traits; }
  std::optional<double> distance_to_solution_set() override;

  Eigen::VectorXd alpha();
  Eigen::VectorXd omega();
  Eigen::VectorXd lower_solution(const Eigen::VectorXd& alpha) const;
  /// Rows dF_i(a, omega*(a))/da.
  Eigen::MatrixXd hypergradients(const Eigen::VectorXd& alpha) const;
  /// grad q at z with the exact value function: (-B'H r, H r), r = w - B a - b; q itself is 1/2 r'H r.
  Eigen::VectorXd exact_constraint_gradient(const Eigen::VectorXd& alpha, const Eigen::VectorXd& omega) const;

  double lower_strong_convexity() const { return 1.0 / options_.condition; }  ///< c
  double lower_lipschitz() const;                                             ///< L_f, of grad f in z

 private:
  QuadraticOptions options_;
  Eigen::MatrixXd hessian_, map_, lower_targets_, upper_targets_;  // H, B, columns u_i, columns v_i
  Eigen::VectorXd shift_;                                          // b
  Eigen::MatrixXd vertices_;                                       // columns (c_i, omega*(c_i))
  torch::Tensor alpha_, omega_, h_, b_, offset_, u_, v_;
};

}  // namespace moblo::conformance
