#include "lab/config/locate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/config/install_tree.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::config {
namespace {

namespace fs = std::filesystem;

/// ./experiments first, then those that come with the program.
std::vector<fs::path> folders() {
  auto all = install_tree_places("experiments", "experiments");
  all.insert(all.begin(), "experiments");
  return all;
}

}  // namespace

std::vector<fs::path> experiment_files() {
  for (const auto& folder : folders()) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) continue;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (!files.empty()) return files;
  }
  return {};
}

fs::path find_experiment(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& file : experiment_files()) {
    if (file.stem() == name) return file;
    names.push_back(file.stem().string());
  }
  throw Error(ErrorKind::usage, fmt::format("experiment '{}'", name), "there is no such experiment",
              names.empty() ? "Run from the source tree or an installed one; no experiments/ was found"
                            : base::suggestion(name, names));
}

}  // namespace moblo::lab::config
