#include "moblo/records/checkpoint_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "moblo/records/atomic_file.hpp"

namespace moblo::records {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kept_checkpoints = 2;  ///< the second is there for a disk that damages the first
constexpr std::string_view prefix = "step-", suffix = ".safetensors";

std::optional<std::int64_t> iteration_in(const std::string& name) {
  std::string_view digits = name;
  if (!digits.starts_with(prefix) || !digits.ends_with(suffix)) return std::nullopt;
  digits.remove_prefix(prefix.size());
  digits.remove_suffix(std::min(suffix.size(), digits.size()));
  std::int64_t next_k = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), next_k);
  const bool whole = failure == std::errc() && end == digits.data() + digits.size();
  return whole && next_k >= 0 ? std::optional(next_k) : std::nullopt;
}

/// Files that cannot be removed do not stop a run: they only take space.
void remove_quietly(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  return files;
}

}  // namespace

void drop_temporaries(const fs::path& folder) {
  for (const auto& file : files_in(folder)) {
    if (is_temporary(file)) remove_quietly(file);
  }
}

CheckpointFolder::CheckpointFolder(const fs::path& run_folder)
    : run_folder_(run_folder), folder_(run_folder / "checkpoint") {}

std::vector<CheckpointFolder::Entry> CheckpointFolder::newest_first() const {
  std::vector<Entry> entries;
  for (const auto& file : files_in(folder_)) {
    if (const auto next_k = iteration_in(file.filename().string())) entries.push_back({*next_k, file});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.next_k > b.next_k; });
  return entries;
}

void CheckpointFolder::save(std::int64_t next_k, const TensorFile& content) const {
  write_tensor_file(folder_ / fmt::format("{}{:09}{}", prefix, next_k, suffix), content);
  const auto entries = newest_first();
  for (std::size_t i = kept_checkpoints; i < entries.size(); ++i) remove_quietly(entries[i].file);
  drop_temporaries(folder_);
}

void CheckpointFolder::drop_after(std::int64_t next_k) const {
  for (const auto& entry : newest_first()) {
    if (entry.next_k > next_k) remove_quietly(entry.file);
  }
  sync_to_disk(folder_);
}

Json CheckpointFolder::newest_state() const {
  for (const auto& entry : newest_first()) {
    try {
      return read_tensor_state(entry.file);
    } catch (const Error&) {
      continue;
    }
  }
  return {};
}

LoadedCheckpoint CheckpointFolder::load_newest(Damage damage,
                                               const std::function<void(const TensorFile&)>& refuse_foreign) const {
  std::vector<std::string> faults;
  bool only_records = true;
  for (const auto& entry : newest_first()) {
    TensorFile content;
    try {
      content = read_tensor_file(entry.file, true);
    } catch (const Error& error) {
      faults.emplace_back(error.what());
      only_records = false;
      continue;
    }
    if (refuse_foreign) refuse_foreign(content);
    const auto written = digests_in(content.state);
    const auto changed = differences(run_folder_, written, /*whole=*/false);
    for (const auto& one : changed) faults.push_back(one + ".");
    if (!changed.empty() && damage == Damage::refuse) continue;
    if (written.empty()) {
      faults.push_back(
          fmt::format("{} knows no digests of the records: changes in them are not noticed.", entry.file.string()));
    }
    const auto warning = faults.empty() ? std::string()
                                        : fmt::format("{} Going on from iteration {} ({}).", base::join(faults, " "),
                                                      entry.next_k, entry.file.string());
    return {entry.next_k, std::move(content), warning};
  }
  if (faults.empty()) {
    throw Error(ErrorKind::checkpoint, run_folder_.string(), "holds no checkpoint",
                "Start a new run with another --out");
  }
  throw Error(ErrorKind::checkpoint, run_folder_.string(),
              fmt::format("holds no checkpoint that is whole and fits the records ({})", base::join(faults, " ")),
              only_records ? "Restore the records from a copy; go on without them by --accept-damage; or start a new "
                             "run with another --out"
                           : "Start a new run with another --out");
}

}  // namespace moblo::records
