#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace moblo::lab::config {

/// Where experiment files are looked for: ./experiments, then beside the program.
std::vector<std::filesystem::path> experiment_files();
std::filesystem::path find_experiment(const std::string& name);

}  // namespace moblo::lab::config
