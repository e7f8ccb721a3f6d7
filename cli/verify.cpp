#include "moblo/records/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;
using records::CheckedFile, records::CheckedFolder, records::FileState;

/// The runs below a folder, and the records of the experiment, front or arena that they belong to.
std::vector<CheckedFolder> check_below(const fs::path& root) {
  std::vector<CheckedFolder> all;
  std::error_code ignored;
  CheckedFolder above{root, {}, false};
  for (const auto* name : {"experiment.json", "front_plan.json", "front.json", "arena_plan.json", "arena.json"}) {
    if (fs::exists(root / name, ignored)) above.files.push_back(records::check_document(root, name));
  }
  if (!above.files.empty()) all.push_back(std::move(above));
  for (const auto& run : records::find_runs(root)) all.push_back(records::check_run(run));
  if (!all.empty()) return all;
  throw Error(ErrorKind::usage, root.string(), "holds no run: there is no manifest.json in it or below it",
              "Name a run folder, as --out gave it");
}

std::size_t count(const CheckedFolder& folder, FileState state) {
  return static_cast<std::size_t>(std::count_if(folder.files.begin(), folder.files.end(),
                                                [&](const CheckedFile& file) { return file.state == state; }));
}

void print(const CheckedFolder& folder) {
  const auto good = count(folder, FileState::good), damaged = count(folder, FileState::damaged),
             unprotected = count(folder, FileState::unprotected);
  fmt::print("{}: {}{}{}\n", folder.folder.string(),
             damaged > 0 ? fmt::format("DAMAGED: {} of {} files", damaged, folder.files.size())
                         : fmt::format("good: {} files", good),
             unprotected > 0
                 ? fmt::format(", {} readable but without checksums (an older version wrote them)", unprotected)
                 : "",
             folder.is_written ? "; a run is being written here" : "");
  for (const auto& file : folder.files) {
    if (file.state == FileState::damaged) fmt::print("  {}: {}\n", file.name, file.reason);
  }
}

Json to_json(const CheckedFolder& folder) {
  Json files = Json::array();
  for (const auto& file : folder.files) {
    const char* state = file.state == FileState::good      ? "good"
                        : file.state == FileState::damaged ? "damaged"
                                                           : "unprotected";
    files.push_back({{"name", file.name}, {"state", state}, {"reason", file.reason}});
  }
  return {
      {"folder", folder.folder.string()}, {"sound", folder.sound()}, {"running", folder.is_written}, {"files", files}};
}

}  // namespace

int verify(const VerifyArguments& arguments) {
  bool sound = true;
  Json folders = Json::array();
  for (const auto& root : arguments.folders) {
    for (const auto& folder : check_below(root)) {
      sound = sound && folder.sound();
      arguments.json ? folders.push_back(to_json(folder)) : print(folder);
    }
  }
  if (arguments.json) print_json({{"status", sound ? "good" : "damaged"}, {"folders", folders}});
  return sound ? 0 : 1;
}

}  // namespace moblo::cli
