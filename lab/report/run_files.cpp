#include "lab/report/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>

#include "moblo/base/error.hpp"

namespace moblo::lab::report {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t longest_document = 16 << 20, longest_table = 64 << 20;
constexpr std::size_t longest_reason = 600;

[[noreturn]] void refuse_path(const fs::path& path, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::data, path.string(), rule, next);
}

bool lies_within(const fs::path& resolved, const fs::path& root) {
  return !root.empty() && std::mismatch(root.begin(), root.end(), resolved.begin(), resolved.end()).first == root.end();
}

/// What is not there is not strange.
void refuse_unless(fs::file_type expected, const fs::path& path, const fs::path& root) {
  std::error_code failure;
  auto type = fs::symlink_status(path, failure).type();
  if (type == fs::file_type::symlink) {
    constexpr auto next = "Watch a folder that holds both, or put a copy in its place";
    const auto resolved = fs::canonical(path, failure);
    if (failure) refuse_path(path, fmt::format("is a link that cannot be followed: {}", failure.message()), next);
    if (!lies_within(resolved, root)) refuse_path(path, "is a link that leads out of the watched folder", next);
    type = fs::symlink_status(resolved, failure).type();
  }
  if (type == fs::file_type::not_found || type == expected) return;
  if (type == fs::file_type::none) {
    refuse_path(path, fmt::format("cannot be looked at: {}", failure.message()), "Check its permissions and the disk");
  }
  refuse_path(path, expected == fs::file_type::regular ? "is no regular file" : "is no folder",
              "Restore it from a copy, or run again");
}

void refuse_longer_than(std::uintmax_t most_bytes, const fs::path& file) {
  std::error_code failure;
  const auto size = fs::file_size(file, failure);
  if (!failure && size > most_bytes) {
    refuse_path(file, fmt::format("is longer than {} MB, the most that a live page reads of it", most_bytes >> 20),
                "`moblo report` reads more");
  }
}

bool is_called_run(const fs::path& folder) {
  std::error_code failure;
  const auto type = fs::symlink_status(folder / "manifest.json", failure).type();
  return type != fs::file_type::not_found && type != fs::file_type::none;
}

/// Its subfolders that hold no run themselves and are no links; runs among them go to `found`.
std::vector<fs::path> folders_below(const fs::path& folder, std::vector<FoundRun>& found) {
  std::vector<fs::path> below;
  std::error_code failure, ignored;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    if (!entry->is_directory(ignored)) continue;
    if (is_called_run(entry->path())) {
      found.push_back({entry->path()});
    } else if (!entry->is_symlink(ignored)) {
      below.push_back(entry->path());
    }
  }
  const bool has_gone = failure == std::errc::no_such_file_or_directory;
  if (failure && !has_gone) found.push_back({folder, fmt::format("cannot be looked into: {}", failure.message())});
  return below;
}

}  // namespace

std::vector<FoundRun> find_watched_runs(const fs::path& root) {
  if (is_called_run(root)) return {{root}};
  std::vector<FoundRun> found;
  std::vector<fs::path> waiting{root};  // no recursion: neither stack nor open folders grow with the depth
  while (!waiting.empty()) {
    const auto folder = std::move(waiting.back());
    waiting.pop_back();
    auto below = folders_below(folder, found);
    std::move(below.begin(), below.end(), std::back_inserter(waiting));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return found;
}

void refuse_strange_files(const fs::path& folder, const fs::path& root) {
  refuse_unless(fs::file_type::directory, folder, root);
  for (const auto* file : {"steps.jsonl", "timings.jsonl", "evaluations.jsonl"}) {
    refuse_unless(fs::file_type::regular, folder / file, root);
  }
  for (const auto* file : {"manifest.json", "summary.json"}) {
    refuse_unless(fs::file_type::regular, folder / file, root);
    refuse_longer_than(longest_document, folder / file);
  }
}

void refuse_strange_samples(const fs::path& folder, const fs::path& root) {
  refuse_unless(fs::file_type::regular, folder / "sample_weights.csv", root);
  refuse_longer_than(longest_table, folder / "sample_weights.csv");
  const auto pictures = folder / "suspects";
  refuse_unless(fs::file_type::directory, pictures, root);
  std::error_code failure;
  for (fs::directory_iterator entry(pictures, failure), end; !failure && entry != end; entry.increment(failure)) {
    refuse_unless(fs::file_type::regular, entry->path(), root);
  }
}

std::uint64_t next_version() {
  using namespace std::chrono;
  static std::atomic<std::uint64_t> last{
      static_cast<std::uint64_t>(duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count())};
  return ++last;
}

std::string words_of_failure(const fs::path& folder) {
  std::string words;
  try {
    throw;
  } catch (const Error& error) {
    words = error.what();
  } catch (const fs::filesystem_error& error) {
    words = fmt::format("{}: {}.", error.path1().string(), error.code().message());
  } catch (const std::bad_alloc&) {
    return "There is not enough memory to read it.";
  } catch (...) {
    return "It cannot be read; `moblo report` on this folder says more.";
  }
  for (const auto* end : {"/", ": "}) {
    const auto start = folder.string() + end;
    if (words.starts_with(start)) return words.substr(start.size(), longest_reason);
  }
  return words.substr(0, longest_reason);
}

}  // namespace moblo::lab::report
