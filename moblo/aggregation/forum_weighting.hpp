#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "moblo/aggregation/preferred_rows.hpp"
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
  Eigen::VectorXd smoothed;      ///< lambda~, and kappa_j of an objective that has a limit; see StepAtWeights
  Eigen::VectorXd solved;        ///< lambda, and kappa of the same QP
  double nu = 0;                 ///< max(lambda~'pi, 0)
  Eigen::VectorXd coefficients;  ///< of the rows (g_1..g_m, grad q) in -d, lengths included
  qp::QpStatus status = qp::QpStatus::bad_input;
  double residual = 0;
};

/// lambda from FORUM's dual, lambda~ = (1 - beta) lambda~ + beta lambda, nu(lambda~): equations (9)-(11) of the paper.
/// With a preference the rows are r_i g_i and the dual has its merits; with limits, nu and their kappa minimise the
/// dual at lambda~.
class ForumWeighting {
 public:
  explicit ForumWeighting(const ForumWeightingOptions& options, PreferenceOptions preference = {})
      : options_(options), preference_(std::move(preference)) {}

  /// Sets lambda~ = 1/m, m the objectives without a limit.
  void start(Eigen::Index objectives);

  /// The losses of this step, before weigh(); what there is to know of them without preference and limits is nothing.
  void observe(const std::vector<double>& losses, double beta) { preference_.observe(losses, beta); }
  /// Preference::unmet.
  std::string unmet_limits() const { return preference_.unmet(); }

  /// `gramian` of (g_1..g_m, grad q). Throws Error(numeric) where the QP has no certified answer; lambda~ stays then.
  ForumWeights weigh(const Eigen::MatrixXd& gramian, double beta);

  Json save() const;
  void restore(const Json& state);
  /// lambda~ alone, of another run's state, where it is of as many objectives.
  void take_over(const Json& state);

 private:
  ForumWeightingOptions options_;
  Preference preference_;
  Eigen::VectorXd smoothed_;
  qp::ForumSolver solver_;
  StepAtWeights step_;
};

}  // namespace moblo::aggregation
