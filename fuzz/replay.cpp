// Runs every file of CORPUS/TARGET/ through its target: what `make test` does without libFuzzer. A target that breaks a
// promise aborts; the last line says which file it was.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fuzz/target.hpp"
#include "moblo/base/files.hpp"

namespace moblo::fuzz {
namespace {

namespace fs = std::filesystem;

std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

int replay(const std::string& name, Target target, const fs::path& corpus) {
  if (!fs::is_directory(corpus)) return 0;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(corpus)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    fmt::print("{} {}\n", name, file.filename().string());
    std::fflush(stdout);
    const std::string content = base::read_file(file, ErrorKind::data);
    target({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
  }
  return static_cast<int>(files.size());
}

int replay_all(const fs::path& corpora) {
  int without_files = 0;
  for (const auto& [name, target] : targets()) {
    if (replay(name, target, corpora / name) > 0) continue;
    fmt::print(stderr, "{}: no files in {}\n", name, (corpora / name).string());
    ++without_files;
  }
  for (const auto& entry : fs::directory_iterator(corpora)) {
    if (targets().contains(entry.path().filename().string())) continue;
    fmt::print(stderr, "{}: no target of that name\n", entry.path().string());
    ++without_files;
  }
  return without_files == 0 ? 0 : 1;
}

}  // namespace

Registered::Registered(const char* name, Target target) {
  targets()[name] = target;
}

}  // namespace moblo::fuzz

int main(int count, char** arguments) {
  if (count != 2) return 2;
  return moblo::fuzz::replay_all(arguments[1]);
}
