#include "moblo/records/existing_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>

#include "moblo/base/error.hpp"
#include "moblo/records/atomic_file.hpp"

namespace moblo::records {
namespace fs = std::filesystem;

namespace {

struct KindOfSet {
  SetOfRuns kind;
  const char* file;  ///< that is there from the beginning
  const char* words;
};
constexpr KindOfSet kinds_of_sets[] = {{SetOfRuns::experiment, "experiment.json", "an experiment of several runs"},
                                       {SetOfRuns::front, "front_plan.json", "a front of several runs"},
                                       {SetOfRuns::arena, "arena_plan.json", "an arena of several runs"}};

bool holds_set(const fs::path& folder) {
  return std::any_of(std::begin(kinds_of_sets), std::end(kinds_of_sets),
                     [&](const KindOfSet& set) { return is_present(folder / set.file); });
}

}  // namespace

void refuse_other_set(const fs::path& folder, SetOfRuns own) {
  for (const auto& [kind, file, words] : kinds_of_sets) {
    if (kind == own || !is_present(folder / file)) continue;
    throw Error(ErrorKind::config, folder.string(), fmt::format("holds {}", words), "Choose another --out");
  }
}

/// Steps without a manifest are the rest of a run as well: appending to them would mix two runs.
void refuse_existing_run(const fs::path& folder) {
  std::error_code ignored;
  if (is_present(folder) && !fs::is_directory(folder, ignored)) {
    throw Error(ErrorKind::config, folder.string(), "is a file, a folder for the run was expected",
                "Choose another --out");
  }
  refuse_other_set(folder, SetOfRuns::none);
  if (is_present(folder / "manifest.json") || is_present(folder / "steps.jsonl")) {
    throw Error(ErrorKind::config, folder.string(), "holds a run already",
                fmt::format("Use --resume {} to go on with it, or choose another --out", folder.string()));
  }
}

void refuse_cleaned_data(const fs::path& folder) {
  if (!is_present(folder / "clean.json") && !is_present(folder / "clean_state")) return;
  throw Error(ErrorKind::config, folder.string(), "holds the results of `moblo clean`", "Choose another --out");
}

bool is_record_of_run(const fs::path& file) {
  std::error_code ignored;
  const auto whole = fs::weakly_canonical(file, ignored);
  const auto name = whole.filename().string(), extension = whole.extension().string();
  const auto folder = whole.parent_path();
  const auto run = folder.filename() == "checkpoint" ? folder.parent_path() : folder;
  static const std::set<std::string> records{
      "manifest.json", "summary.json",    "experiment.json", "clean.json",         "front.json", "front.csv",
      "arena.json",    "front_plan.json", "arena_plan.json", "sample_weights.csv", "samples.csv"};
  const bool of_run = is_present(run / "manifest.json") || is_present(run / "clean.json") || holds_set(run);
  const bool record = extension == ".jsonl" || extension == ".safetensors" || records.contains(name);
  return of_run && record && is_present(whole);
}

void refuse_unusable_place(const fs::path& folder) {
  refuse_existing_run(folder);
  refuse_cleaned_data(folder);
  std::error_code ignored;
  fs::path ancestor = fs::absolute(folder, ignored).lexically_normal();
  while (!is_present(ancestor) && ancestor.has_relative_path()) ancestor = ancestor.parent_path();
  const bool inside_a_file = !fs::is_directory(ancestor, ignored);
  if (!inside_a_file && access(ancestor.c_str(), W_OK | X_OK) == 0) return;
  throw io_error(folder, "cannot be created", inside_a_file ? ENOTDIR : errno);
}

}  // namespace moblo::records
