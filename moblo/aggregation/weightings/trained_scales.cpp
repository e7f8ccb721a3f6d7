#include "moblo/aggregation/weightings/trained_scales.hpp"

#include <cmath>

#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/weightings/checks.hpp"

namespace moblo::aggregation {
namespace {

constexpr double mean_decay = 0.9, square_decay = 0.999, floor = 1e-8;

}  // namespace

void TrainedScales::start(Eigen::Index tasks, double value) {
  steps_ = 0;
  values_.setConstant(tasks, value);
  mean_.setZero(tasks);
  square_.setZero(tasks);
}

void TrainedScales::descend(const std::string& who, const Eigen::VectorXd& gradient) {
  if (!gradient.cwiseAbs2().allFinite()) refuse_overflow(who, "the square of a slope of the trained scales");
  ++steps_;
  mean_ = mean_decay * mean_ + (1 - mean_decay) * gradient;
  square_ = square_decay * square_ + (1 - square_decay) * gradient.cwiseAbs2();
  const double mean_share = 1 - std::pow(mean_decay, static_cast<double>(steps_));
  const double square_share = 1 - std::pow(square_decay, static_cast<double>(steps_));
  values_.array() -= step_size_ * (mean_.array() / mean_share) / ((square_.array() / square_share).sqrt() + floor);
}

Json TrainedScales::save() const {
  return {{"steps", steps_},
          {"values", saved_vector(values_)},
          {"mean", saved_vector(mean_)},
          {"square", saved_vector(square_)}};
}

void TrainedScales::restore(const Json& state) {
  steps_ = state.at("steps").get<std::int64_t>();
  const auto tasks = values_.size();
  values_ = restored_vector(state.at("values"), tasks);
  mean_ = restored_vector(state.at("mean"), tasks);
  square_ = restored_vector(state.at("square"), tasks);
}

}  // namespace moblo::aggregation
