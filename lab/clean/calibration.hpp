#pragma once

#include <cstddef>
#include <vector>

#include "lab/clean/noise_model.hpp"

namespace moblo::lab::clean {

/// sigmoid(slope logit(p) + offset); the slope is positive, so that the order of samples stays.
struct Calibration {
  double slope = 1, offset = 0;
  double operator()(double p) const;
};

/// What happened to a probability: the truth, and how much the case counts.
struct JudgedChance {
  double probability = 0;
  bool wrong = false;
  double weight = 1;
};

/// Trusted samples as if they had been given labels by the noise model: each with every label it might have got,
/// weighted with the chance of that.
std::vector<JudgedChance> rehearse(const ClassChances& chances, const Labels& right, const NoiseModel& noise);

/// Logistic regression of `wrong` on logit(probability), drawn towards the identity with the weight of a few samples.
Calibration calibrate(const std::vector<JudgedChance>& cases);

/// Mean over ten equal stretches of [0, 1], by their weight, of |mean probability - share that is wrong|.
double calibration_error(const std::vector<JudgedChance>& cases);

/// The longest list of most suspicious samples whose mean probability of being wrong is at least `precision`.
/// `descending` are the probabilities, largest first. Returns its length.
std::size_t flagged_at(const std::vector<double>& descending, double precision);

}  // namespace moblo::lab::clean
