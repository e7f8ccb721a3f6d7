#pragma once

#include <filesystem>
#include <vector>

#include "lab/clean/clean_task.hpp"
#include "lab/nets/dense_classifier.hpp"

namespace moblo::lab::clean {

/// model.safetensors with the refitted networks, "DATASET.layer_1.weight" and so on, and model.json that says how to
/// use them: classes, scaling of the inputs, layers.
void write_model(const std::filesystem::path& folder, const std::vector<CleanTask>& tasks,
                 const std::vector<nets::DenseClassifier>& networks);

}  // namespace moblo::lab::clean
