#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "moblo/aggregation/preference.hpp"
#include "moblo/qp/forum_dual.hpp"

namespace moblo::aggregation {

/// The rows of a step as FORUM's dual wants them: free objectives scaled by their preference, limited ones, grad q.
struct PreferredRows {
  std::vector<Eigen::Index> order;  ///< row of the gradients for each row here
  Eigen::VectorXd scales;           ///< of the rows, in the order of the gradients
  Eigen::MatrixXd gramian;          ///< of the scaled rows, in `unit`
  double unit = 1;
  Eigen::VectorXd merits, allowed;

  Eigen::Index limits() const { return allowed.size(); }
  Eigen::Index objectives() const { return gramian.rows() - 1 - limits(); }
  /// For each objective, in the order of the gradients: its weight, or its kappa.
  Eigen::VectorXd by_objective(const Eigen::VectorXd& weights, const Eigen::VectorXd& kappa) const;
};

/// `gramian` of (g_1..g_m, grad q). Throws Error(numeric) in the name of `who` where it cannot be scaled.
PreferredRows preferred_rows(const std::string& who, const Eigen::MatrixXd& gramian, const Preference& preference,
                             bool unit_length);

/// C of the dual: how much stronger than all else a limit may push. Beyond it gives way, and stays unmet.
double limit_bound(const PreferredRows& rows, double phi);

/// The direction at given weights lambda, smoothed ones or those of another method. kappa minimises the dual with
/// lambda fixed, that is with the one row sum_i lambda_i g_i. Then lambda and kappa are scaled down together, so that
/// they sum to what lambda did: a limit turns the step and does not make it longer. nu is the one of that sum.
class StepAtWeights {
 public:
  struct Answer {
    Eigen::VectorXd weights, kappa;  ///< scaled
    double nu = 0;
    double residual = 0;
  };

  void forget() { solver_.forget(); }
  /// Throws Error(numeric) where there is no certified answer.
  Answer solve(const qp::ForumDual& dual, const PreferredRows& rows, const Eigen::VectorXd& weights);

  Json save() const;
  void restore(const Json& state);

 private:
  qp::ForumSolver solver_;
};

}  // namespace moblo::aggregation
