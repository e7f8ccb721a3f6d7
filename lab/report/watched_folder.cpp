#include "lab/report/watched_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "lab/report/run_files.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/line_scanner.hpp"
#include "moblo/records/line_tail.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::lab::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t end_of_file = 16 << 10, longest_text = 400;
constexpr double shortest_silence = 120, silent_steps = 20;

/// Sizes and times of its files; returns when one was written last. The time of a change of status tells of permissions
/// too, which make a file readable again.
std::int64_t take_stamps(const fs::path& folder, std::vector<std::int64_t>& stamps) {
  std::int64_t written = 0;
  for (const auto* file : {"manifest.json", "steps.jsonl", "timings.jsonl", "summary.json"}) {
    struct stat found {};
    if (stat((folder / file).c_str(), &found) != 0) found.st_size = -1;
    stamps.insert(stamps.end(), {found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_ctim.tv_sec,
                                 found.st_ctim.tv_nsec});
    written = std::max<std::int64_t>(written, found.st_mtim.tv_sec);
  }
  return written;
}

std::string text_at(const Json& config, const char* key) {
  return config.is_object() && config.contains(key) && config[key].is_string()
             ? config[key].get<std::string>().substr(0, longest_text)
             : "";
}

void take_manifest(const fs::path& folder, RunState& state) {
  const auto manifest = records::read_manifest(folder);
  state.title = manifest.title.substr(0, longest_text);
  state.method = text_at(manifest.config, "method");
  state.problem = text_at(manifest.config, "problem");
  const auto& config = manifest.config;
  const bool counted = config.is_object() && config.contains("iterations") && config["iterations"].is_number_integer();
  state.wanted = counted ? config["iterations"].get<std::int64_t>() : 0;
}

template <class Use>
void each_line(const std::string& text, const Use& use) {
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    use(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
}

/// The two files are written one after the other: the longer one tells how far the run is.
void take_steps(const fs::path& folder, RunState& state) {
  each_line(records::last_lines(folder / "steps.jsonl", end_of_file), [&](std::string_view line) {
    if (const auto k = records::scan_iteration(line)) state.iterations = std::max(state.iterations, *k + 1);
  });
}

void take_timings(const fs::path& folder, RunState& state) {
  double sum = 0;
  std::int64_t count = 0;
  each_line(records::last_lines(folder / "timings.jsonl", end_of_file), [&](std::string_view line) {
    const auto timing = records::scan_timing(line);
    if (!timing) return;
    for (const auto& [phase, seconds] : timing->seconds) sum += seconds;
    ++count;
    state.iterations = timing->k + 1;
  });
  state.step_seconds = count > 0 ? sum / static_cast<double>(count) : 0;
}

}  // namespace

double RunState::progress() const {
  if (wanted <= 0) return 0;
  return std::min(1.0, static_cast<double>(iterations) / static_cast<double>(wanted));
}

std::optional<double> RunState::seconds_left() const {
  if (status != RunStatus::running || silent || wanted <= iterations || step_seconds <= 0) return std::nullopt;
  return step_seconds * static_cast<double>(wanted - iterations);
}

WatchedFolder::WatchedFolder(fs::path root) : root_(std::move(root)) {}

void WatchedFolder::read(Entry& entry) {
  auto& state = entry.state;
  take_manifest(entry.folder, state);
  take_timings(entry.folder, state);
  take_steps(entry.folder, state);
  if (const auto summary = records::read_summary(entry.folder)) {
    state.status = summary->status;
    state.iterations = summary->iterations;
  }
}

/// Returns whether anything changed.
bool WatchedFolder::look_at(Entry& entry, const std::string& fault) const {
  auto& state = entry.state;
  const auto name = state.name, was_broken = state.broken;
  const bool was_silent = state.silent;
  const auto known = std::exchange(entry.stamps, {});  // of strange files nothing is known
  try {
    if (!fault.empty()) throw Error(ErrorKind::data, entry.folder.string(), fault, "Check its permissions");
    refuse_strange_files(entry.folder, resolved_root_);
    const auto written = take_stamps(entry.folder, entry.stamps);
    if (entry.stamps != known) {
      state = RunState();
      state.name = name;
      state.written = written;
      read(entry);
    }
    const auto age = static_cast<double>(std::time(nullptr) - state.written);
    state.silent = state.broken.empty() && state.status == RunStatus::running &&
                   age > std::max(shortest_silence, silent_steps * state.step_seconds);
  } catch (...) {
    state = RunState();
    state.name = name;
    state.broken = words_of_failure(entry.folder);
  }
  return entry.stamps != known || was_silent != state.silent || was_broken != state.broken;
}

void WatchedFolder::refresh() {
  std::error_code failure;
  resolved_root_ = fs::canonical(root_, failure);
  bool changed = false;
  std::map<std::string, Entry> now;
  for (const auto& [folder, fault] : find_watched_runs(root_)) {
    auto name = folder == root_ ? std::string(".") : folder.lexically_relative(root_).string();
    const auto known = entries_.find(name);
    Entry entry = known == entries_.end() ? Entry() : std::move(known->second);
    entry.folder = folder;
    entry.state.name = name;
    changed = look_at(entry, fault) || known == entries_.end() || changed;
    now.emplace(std::move(name), std::move(entry));
  }
  changed = changed || now.size() != entries_.size();
  entries_ = std::move(now);
  if (changed) sort_states();
}

void WatchedFolder::sort_states() {
  version_ = next_version();
  states_.clear();
  for (const auto& [name, entry] : entries_) states_.push_back(entry.state);
  std::stable_sort(states_.begin(), states_.end(), [](const RunState& a, const RunState& b) {
    const auto rank = [](const RunState& state) {
      if (!state.broken.empty()) return 1;
      return state.status == RunStatus::running && !state.silent ? 0 : 2;
    };
    return rank(a) < rank(b);
  });
}

WatchedFolder::Folders WatchedFolder::folders() const {
  Folders out;
  for (const auto& [name, entry] : entries_) out.emplace(name, entry.folder);
  return out;
}

}  // namespace moblo::lab::report
