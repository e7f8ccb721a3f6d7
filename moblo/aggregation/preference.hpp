#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::aggregation {

/// "F_objective <= value".
struct Limit {
  Eigen::Index objective = 0;
  double value = 0;
  std::string name;  ///< of the objective, for messages
};

struct PreferenceOptions {
  Eigen::VectorXd preference;  ///< r > 0, one for each objective; empty: none
  Eigen::VectorXd reference;   ///< z, one for each objective; empty: zeros
  double pull = 1;             ///< see merits()
  std::vector<Limit> limits;
  double limit_rate = 1;          ///< c in <grad F_j, d> <= c (e - F_j)
  double limit_tolerance = 0.01;  ///< a limit e is met up to this share of |e|
};

/// Which trade-off is wanted: the weighted Chebyshev merit M = max_i r_i (F_i - z_i) of the free objectives, whose
/// minimisers run through the whole front, and limits on the others. Turns losses into the linear terms of the QP
/// (qp::ForumDual). Carries the smoothed losses and z, which is lowered where a loss passes it, so that F - z > 0.
class Preference {
 public:
  explicit Preference(PreferenceOptions options = {}) : options_(std::move(options)) {}

  void start(Eigen::Index objectives);

  bool has_preference() const { return options_.preference.size() > 0; }
  bool has_limits() const { return !options_.limits.empty(); }
  bool any() const { return has_preference() || has_limits(); }

  const std::vector<Eigen::Index>& free() const { return free_; }        ///< objectives of the simplex
  const std::vector<Eigen::Index>& limited() const { return limited_; }  ///< those that have a limit
  /// r_i scaled to sum 1 for a free objective; 1 for the others, and where there is no preference.
  const Eigen::VectorXd& scales() const { return scales_; }

  /// F <- (1 - beta) F + beta losses; the first losses are taken as they are. Does nothing without preference or
  /// limits.
  void observe(const std::vector<double>& losses, double beta);

  /// u r_i (F_i - z_i) of the free objectives, u = pull max_i |r_i g_i|^2 / max_i r_i (F_i - z_i): then pull has no
  /// unit. `squares` of the scaled rows of the free objectives. Empty without a preference.
  Eigen::VectorXd merits(const Eigen::VectorXd& squares) const;

  /// c (e_j - F_j), times a scale; above e at most the descent of a gradient step, -|a_j|^2. `squares` of the scaled
  /// rows of the limited objectives.
  Eigen::VectorXd allowed(const Eigen::VectorXd& squares, const Eigen::VectorXd& scales) const;

  /// Which limits the last losses exceed and how close each has come; empty where all are met.
  std::string unmet() const;

  Json save() const;
  void restore(const Json& state);

 private:
  PreferenceOptions options_;
  std::vector<Eigen::Index> free_, limited_;
  Eigen::VectorXd scales_;
  Eigen::VectorXd reference_, smoothed_, last_;  // z, F, F as last seen
  Eigen::VectorXd closest_;                      // least F_j so far, for each limit
};

}  // namespace moblo::aggregation
