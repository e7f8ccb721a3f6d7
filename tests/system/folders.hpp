#pragma once

#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::system_test {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "moblo-system-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

inline std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void write_file(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

inline Json read_json(const fs::path& file) {
  return Json::parse(read_file(file), nullptr, false);
}

/// Every file below a folder with its bytes: equal before and after means that nothing was touched.
inline std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    files[entry.path().lexically_relative(folder).string()] = entry.is_regular_file() ? read_file(entry.path()) : "";
  }
  return files;
}

/// Iterations of the checkpoints in a run folder, sorted; none while there is no folder.
inline std::vector<std::int64_t> checkpoints(const fs::path& run) {
  std::vector<std::int64_t> found;
  std::error_code ignored;
  for (fs::directory_iterator entry(run / "checkpoint", ignored), end; entry != end; entry.increment(ignored)) {
    const auto name = entry->path().filename().string();
    if (name.starts_with("step-") && name.ends_with(".safetensors")) found.push_back(std::stoll(name.substr(5)));
  }
  std::sort(found.begin(), found.end());
  return found;
}

inline fs::path checkpoint_file(const fs::path& run, std::int64_t next_k) {
  std::string digits = std::to_string(next_k);
  digits.insert(0, 9 - digits.size(), '0');
  return run / "checkpoint" / ("step-" + digits + ".safetensors");
}

}  // namespace moblo::system_test
