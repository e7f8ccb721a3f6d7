#pragma once

#include <Eigen/Core>

#include "moblo/base/json.hpp"
#include "moblo/qp/forum_dual.hpp"

namespace moblo::aggregation {

struct ForumWeightingOptions {
  double rho = 0.5;  ///< phi = rho/2 (|grad q|^2 + q_floor)
  qp::Multiplier multiplier = qp::Multiplier::paper;
  double q_floor = 0;  ///< added to |grad q|^2 in phi and below pi: pi_i = rho - <grad q, g_i> / (|grad q|^2 + q_floor)
  bool unit_length = false;  ///< g_i / (|g_i| + 1e-8) instead of g_i
};

struct ForumWeights {
  Eigen::VectorXd smoothed;      ///< lambda~
  Eigen::VectorXd solved;        ///< lambda
  double nu = 0;                 ///< max(lambda~'pi, 0)
  Eigen::VectorXd coefficients;  ///< of the rows (g_1..g_m, grad q) in -d, lengths included
  qp::QpStatus status = qp::QpStatus::bad_input;
  double residual = 0;
};

/// lambda from FORUM's dual, lambda~ = (1 - beta) lambda~ + beta lambda, nu(lambda~): equations (9)-(11) of the paper.
class ForumWeighting {
 public:
  explicit ForumWeighting(const ForumWeightingOptions& options) : options_(options) {}

  /// Sets lambda~ = 1/m.
  void start(Eigen::Index objectives);

  /// `gramian` of (g_1..g_m, grad q). Throws Error(numeric) where the QP has no certified answer; lambda~ stays then.
  ForumWeights weigh(const Eigen::MatrixXd& gramian, double beta);

  Json save() const;
  void restore(const Json& state);
  /// lambda~ alone, of another run's state, where it is of as many objectives.
  void take_over(const Json& state);

 private:
  ForumWeightingOptions options_;
  Eigen::VectorXd smoothed_;
  qp::ForumSolver solver_;
};

}  // namespace moblo::aggregation
