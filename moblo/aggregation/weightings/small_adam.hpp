#pragma once

#include <Eigen/Core>
#include <cmath>

#include "moblo/aggregation/weightings/vector_state.hpp"

namespace moblo {

/// Adam on the few numbers that a weighting trains; decay is added to the gradient.
class SmallAdam {
 public:
  explicit SmallAdam(double rate, double decay = 0) : rate_(rate), decay_(decay) {}

  void start(Eigen::Index size) {
    mean_.setZero(size);
    square_.setZero(size);
    steps_ = 0;
  }

  void step(Eigen::VectorXd& point, const Eigen::VectorXd& gradient) {
    constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    ++steps_;
    const Eigen::VectorXd decayed = gradient + decay_ * point;
    mean_ = beta1 * mean_ + (1 - beta1) * decayed;
    square_ = beta2 * square_ + (1 - beta2) * decayed.cwiseAbs2();
    const double bias1 = 1 - std::pow(beta1, steps_), bias2 = 1 - std::pow(beta2, steps_);
    point.array() -= rate_ / bias1 * mean_.array() / ((square_ / bias2).array().sqrt() + epsilon);
  }

  Json save() const { return {{"mean", to_state(mean_)}, {"square", to_state(square_)}, {"steps", steps_}}; }
  void restore(const Json& state) {
    mean_ = vector_from_state(state.at("mean"));
    square_ = vector_from_state(state.at("square"));
    steps_ = state.at("steps");
  }

 private:
  double rate_, decay_;
  Eigen::VectorXd mean_, square_;
  int steps_ = 0;
};

}  // namespace moblo
