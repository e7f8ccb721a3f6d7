#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "moblo/aggregation/preferred_rows.hpp"
#include "moblo/aggregation/simplex_projection.hpp"
#include "moblo/base/json.hpp"

namespace moblo::aggregation {

struct MocoWeights {
  Eigen::VectorXd weights;       ///< lambda; kappa_j of an objective that has a limit
  Eigen::VectorXd coefficients;  ///< of the tracked gradients in -d
};

/// lambda <- projection(lambda - gamma (Y Y' + rho I) lambda), from lambda = 1/m. With a preference the rows of Y are
/// r_i y_i and lambda descends on 1/2 |Y'lambda|^2 - merits'lambda; the limits' kappa are those at that lambda.
class MocoWeighting {
 public:
  MocoWeighting(double rho, SimplexProjection projection, PreferenceOptions preference = {})
      : rho_(rho), projection_(projection), preference_(std::move(preference)) {}

  void start(Eigen::Index objectives);
  /// As in ForumWeighting.
  void observe(const std::vector<double>& losses, double beta) { preference_.observe(losses, beta); }
  std::string unmet_limits() const { return preference_.unmet(); }
  /// The weights after a step of size gamma, from the Gramian of the tracked gradients. Throws Error(numeric) where the
  /// step overflows; the weights stay then.
  MocoWeights weigh(const Eigen::MatrixXd& gramian, double gamma);

  Json save() const;
  void restore(const Json& state);
  /// lambda of another run's state, where it is of as many objectives.
  void take_over(const Json& state);

 private:
  void descend(const Eigen::VectorXd& slope, double gamma);

  double rho_;
  SimplexProjection projection_;
  Preference preference_;
  Eigen::VectorXd weights_;
  StepAtWeights step_;
};

}  // namespace moblo::aggregation
