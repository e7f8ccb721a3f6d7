#pragma once

#include <vector>

#include "lab/problems/multitask.hpp"

namespace moblo::lab::problems {

/// Cross entropy and accuracy (%) of classes; where tasks share their inputs, `column` of the targets holds the labels.
Task classification_task(std::string name, std::int64_t column = -1);

/// Squared error of standardised targets and mean absolute error in physical units.
Task regression_task(std::string name, std::int64_t column, double deviation);

/// The planes of the targets of scenes: label (-1 = void), depth (0 = not measured), normal (0 = not known).
struct ScenePlanes {
  static constexpr std::int64_t label = 0, depth = 1, normal = 2, count = 5;
};

/// Cross entropy over the pixels with a class; mIoU and pixel accuracy (%).
Task segmentation_task(int classes);
/// L1 over the measured pixels; absolute and relative error.
Task depth_task();
/// 1 - mean cosine over the known normals; angles in degrees and shares (%).
Task normal_task();

}  // namespace moblo::lab::problems
