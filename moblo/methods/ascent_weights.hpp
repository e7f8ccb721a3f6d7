#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>

#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/method.hpp"

namespace moblo::methods {

/// lambda of min over z of max over the simplex of lambda'values(z):  lambda <- projection of lambda + gamma_k values,
/// gamma_k = gamma (k+1)^-exponent, from lambda = 1/m.
class AscentWeights {
 public:
  AscentWeights(double gamma, double exponent) : gamma_(gamma), exponent_(exponent) {}

  void start(std::int64_t objectives) {
    weights_ = Eigen::VectorXd::Constant(objectives, 1.0 / static_cast<double>(objectives));
  }

  /// lambda_k, as it is before the step of iteration k, which it takes: lambda and z move at the same time. The record
  /// gets lambda_k and, as qp_residual, the complementarity gap max_i values_i - lambda_k'values. Throws NotFinite.
  Eigen::VectorXd step(const Eigen::VectorXd& values, std::int64_t k, StepRecord& record) {
    const Eigen::VectorXd now = weights_;
    const Eigen::VectorXd moved = now + gamma_ * std::pow(static_cast<double>(k + 1), -exponent_) * values;
    if (!moved.allFinite()) throw NotFinite("a step of lambda");
    weights_ = aggregation::project_onto_simplex(moved);
    record.weights = to_vector(now);
    record.qp_residual = values.maxCoeff() - now.dot(values);
    return now;
  }

  void save(Snapshot& to) const { to.values["weights"] = aggregation::saved_vector(weights_); }
  void restore(const Snapshot& from) {
    weights_ = aggregation::restored_vector(from.values.at("weights"), weights_.size());
  }

 private:
  double gamma_, exponent_;
  Eigen::VectorXd weights_;
};

template <class O>
void add_ascent_fields(OptionTable<O>& t) {
  t.add("gamma", &O::gamma, "gamma_k = gamma (k+1)^-gamma_exponent, step size of the weights' ascent", at_least(0));
  t.add("gamma_exponent", &O::gamma_exponent, "see gamma; 0 = constant", within(0, 1));
}

}  // namespace moblo::methods
