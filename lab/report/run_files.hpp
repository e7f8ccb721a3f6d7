#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace moblo::lab::report {

/// A folder that holds a run, whole or broken, or one that cannot be looked into.
struct FoundRun {
  std::filesystem::path folder;
  std::string fault{};  ///< why nothing in it can be read; mostly empty
};

/// At or below `root`, sorted by path. Unlike records::find_runs it names broken ones too: whatever is called
/// manifest.json makes a run. Links to folders are looked at but not followed further down.
std::vector<FoundRun> find_watched_runs(const std::filesystem::path& root);

/// Throws Error(data) where the run folder or a file in it is a link that leads out of `root` (a resolved path), is
/// neither a regular file nor, where one is expected, a folder, or is too long to be read whole while others wait
/// (those with one record per line are read in pieces). Who may write in `root` can still replace a file between this
/// look and the reading of it.
void refuse_strange_files(const std::filesystem::path& folder, const std::filesystem::path& root);
/// The same for what shows learned weights of samples: their table and pictures.
void refuse_strange_samples(const std::filesystem::path& folder, const std::filesystem::path& root);

/// No two of one process are equal. They start at the time of day, in milliseconds: a page that outlives one server
/// does not take the next one's answers for what it knows.
std::uint64_t next_version();

/// The exception that is being handled, as a reader of the page is told it: files are named from the run folder on.
std::string words_of_failure(const std::filesystem::path& folder);

}  // namespace moblo::lab::report
