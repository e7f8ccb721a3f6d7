#pragma once

#include <Eigen/Core>

#include "moblo/aggregation/simplex_projection.hpp"
#include "moblo/base/json.hpp"

namespace moblo::aggregation {

/// lambda <- projection(lambda - gamma (Y Y' + rho I) lambda), from lambda = 1/m.
class MocoWeighting {
 public:
  MocoWeighting(double rho, SimplexProjection projection) : rho_(rho), projection_(projection) {}

  void start(Eigen::Index objectives);
  /// The weights after a step of size gamma, from the Gramian of the tracked gradients. Throws Error(numeric) where the
  /// step overflows; the weights stay then.
  const Eigen::VectorXd& weigh(const Eigen::MatrixXd& gramian, double gamma);

  Json save() const;
  void restore(const Json& state);
  /// lambda of another run's state, where it is of as many objectives.
  void take_over(const Json& state);

 private:
  double rho_;
  SimplexProjection projection_;
  Eigen::VectorXd weights_;
};

}  // namespace moblo::aggregation
