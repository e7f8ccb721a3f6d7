#pragma once

#include <Eigen/Core>
#include <memory>

#include "moblo/applications/toy_options.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo {

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

std::unique_ptr<BilevelProblem> make_quadratic(const Json& options, std::uint64_t seed);

}  // namespace moblo
