#pragma once

#include <filesystem>
#include <string>

#include "lab/clean/clean.hpp"
#include "lab/data/noisy_dataset.hpp"

namespace moblo::lab::clean {

/// A model that write_model() has written, for one dataset.
struct SavedModel {
  data::NoisyDataset like;  ///< without samples: name, classes, shape, image, encoding
  InputScaling scaling;
  CleanModel members;
};

/// `place` is the folder of a `clean`, or its model.json; `dataset` may be empty where there is one. Throws
/// Error(config) for what is no such model, Error(checkpoint) for what is damaged.
SavedModel read_model(const std::filesystem::path& place, const std::string& dataset);

/// P(class) of rows of raw inputs, as they come from a file.
ClassChances predicted_chances(const SavedModel& model, const std::vector<float>& inputs);

}  // namespace moblo::lab::clean
