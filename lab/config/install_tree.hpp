#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace moblo::lab::config {

/// Where a file or folder that comes with the program may lie: in the source tree that a build folder lies in, then
/// under share/moblo where `cmake --install` puts it.
std::vector<std::filesystem::path> install_tree_places(const std::string& in_source, const std::string& in_share);

/// The first of them that exists; empty where none does.
std::filesystem::path find_in_install_tree(const std::string& in_source, const std::string& in_share);

/// A file that the build makes: beside the program, or under share/moblo.
std::filesystem::path find_beside_program(const std::string& name);

}  // namespace moblo::lab::config
