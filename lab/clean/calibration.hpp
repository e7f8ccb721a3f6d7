#pragma once

#include <vector>

namespace moblo::lab::clean {

/// What happened to a probability: the truth, and how much the case counts.
struct JudgedChance {
  double probability = 0;
  bool wrong = false;
  double weight = 1;
};

/// Mean over ten equal stretches of [0, 1], by their weight, of |mean probability - share that is wrong|.
double calibration_error(const std::vector<JudgedChance>& cases);

}  // namespace moblo::lab::clean
