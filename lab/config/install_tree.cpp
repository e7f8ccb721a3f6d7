#include "lab/config/install_tree.hpp"

namespace moblo::lab::config {

namespace fs = std::filesystem;

std::vector<fs::path> install_tree_places(const std::string& in_source, const std::string& in_share) {
  std::vector<fs::path> places;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (program.empty()) return places;
  places.push_back(program.parent_path().parent_path() / in_source);
  for (fs::path up = program.parent_path(); up.has_relative_path(); up = up.parent_path()) {
    places.push_back(up / "share/moblo" / in_share);
  }
  return places;
}

fs::path find_in_install_tree(const std::string& in_source, const std::string& in_share) {
  std::error_code ignored;
  for (const auto& place : install_tree_places(in_source, in_share)) {
    if (fs::exists(place, ignored)) return place;
  }
  return {};
}

fs::path find_beside_program(const std::string& name) {
  std::error_code ignored;
  const auto beside = fs::read_symlink("/proc/self/exe", ignored).parent_path() / name;
  return fs::exists(beside, ignored) ? beside : find_in_install_tree(name, name);
}

}  // namespace moblo::lab::config
