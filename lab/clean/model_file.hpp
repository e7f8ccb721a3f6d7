#pragma once

#include <filesystem>
#include <vector>

#include "lab/clean/clean.hpp"

namespace moblo::lab::clean {

/// model.safetensors with the tensors of every member, "DATASET.member_1.network.0" and so on, and model.json that says
/// how to use them: classes, scaling of the inputs, members with their shares.
void write_model(const std::filesystem::path& folder, const std::vector<CleanTask>& tasks,
                 const std::vector<CleanModel>& models);

}  // namespace moblo::lab::clean
