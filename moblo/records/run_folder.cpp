#include "moblo/records/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "moblo/base/error.hpp"
#include "moblo/records/atomic_file.hpp"
#include "moblo/records/checkpoint_folder.hpp"
#include "moblo/records/existing_run.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_file.hpp"
#include "moblo/records/line_scanner.hpp"
#include "moblo/records/sample_outcomes.hpp"
#include "moblo/records/thinning.hpp"

namespace moblo::records {
namespace {

namespace fs = std::filesystem;

constexpr const char* steps_name = "steps.jsonl";
constexpr const char* timings_name = "timings.jsonl";
constexpr const char* evaluations_name = "evaluations.jsonl";
constexpr std::array line_files{steps_name, timings_name, evaluations_name};

void make_folders(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw io_error(folder, "cannot be created", failure.value());
}

template <class Scan, class Read, class Use>
void read_records(const fs::path& file, const Scan& scan, const Read& read, const Use& use) {
  const auto use_text = [&](std::string_view line) {
    auto record = scan(line);
    if (record) use(std::move(*record));
    return record.has_value();
  };
  read_lines(file, use_text, [&](const Json& json) { use(read(json)); });
}

}  // namespace

bool is_run_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "manifest.json", ignored);
}

std::vector<fs::path> find_runs(const fs::path& root) {
  if (is_run_folder(root)) return {root};
  std::vector<fs::path> runs;
  std::error_code failure;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied, failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored) || !is_run_folder(entry->path())) continue;
    runs.push_back(entry->path());
    entry.disable_recursion_pending();
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

RunRecord read_run(const fs::path& folder) {
  if (!is_run_folder(folder)) {
    throw Error(ErrorKind::data, folder.string(), "is not a run folder: it has no manifest.json",
                "Name the folder that --out gave, or one above it");
  }
  RunRecord run;
  run.folder = folder;
  run.manifest = read_manifest(folder);
  StepThinner steps;
  read_records(folder / steps_name, scan_step, step_record, [&](StepRecord record) { steps.add(std::move(record)); });
  run.thinned = steps.thinned();
  run.steps = steps.take();
  TimingThinner timings;
  read_records(folder / timings_name, scan_timing, step_timing, [&](const StepTiming& timing) { timings.add(timing); });
  run.timing_sum = timings.sum();
  run.timings = timings.take();
  const auto scan_none = [](std::string_view) { return std::optional<Evaluation>(); };
  read_records(folder / evaluations_name, scan_none, evaluation,
               [&](Evaluation one) { run.evaluations.push_back(std::move(one)); });
  run.summary = read_summary(folder);
  run.damage = damaged_records(folder);
  return run;
}

std::optional<StepRecord> read_step(const fs::path& folder, std::int64_t k) {
  std::optional<StepRecord> found;
  const auto line = line_of_iteration(folder / steps_name, k);
  if (!line) return found;
  found = scan_step(*line);
  if (found) return found;
  const auto json = base::parse_json(*line);
  return json.is_discarded() ? found : step_record(json);
}

Manifest read_manifest(const fs::path& folder) {
  Manifest out;
  read_document(folder / "manifest.json", [&](const Json& json) { out = manifest(json); });
  return out;
}

std::optional<Summary> read_summary(const fs::path& folder) {
  const auto file = folder / "summary.json";
  if (!is_present(file)) return std::nullopt;
  std::optional<Summary> out;
  read_document(file, [&](const Json& json) { out = summary(json); });
  return out;
}

FolderLock RunFolder::lock_new(const fs::path& folder) {
  refuse_existing_run(folder);  // before the folder is made
  refuse_cleaned_data(folder);
  FolderLock lock(folder);
  refuse_existing_run(folder);  // somebody may have been faster
  return lock;
}

FolderLock RunFolder::lock_existing(const fs::path& folder) {
  if (!is_run_folder(folder)) {
    throw Error(ErrorKind::checkpoint, folder.string(), "holds no run to go on with: it has no manifest.json",
                "Name the folder that --out gave, or start a new run");
  }
  return FolderLock(folder);
}

RunFolder RunFolder::create(FolderLock lock, const Manifest& manifest) {
  const auto& folder = lock.folder();
  make_folders(folder / "checkpoint");
  drop_temporaries(folder);
  write_document(folder / "manifest.json", to_json(manifest));
  Lines lines;
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = LineWriter(folder / line_files[i], {});
  return {std::move(lock), std::move(lines)};
}

RunFolder RunFolder::reopen(FolderLock lock, const Manifest& manifest, std::int64_t next_k) {
  const auto& folder = lock.folder();
  make_folders(folder / "checkpoint");
  drop_temporaries(folder);
  // Later checkpoints go first: were the program killed after the cut, one of them would skip the records it cut off.
  CheckpointFolder(folder).drop_after(next_k);
  std::error_code ignored;
  fs::remove(folder / "summary.json", ignored);  // its digests are of records that are cut off now
  Lines lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto file = folder / line_files[i];
    lines[i] = LineWriter(file, cut_lines(file, next_k));
  }
  write_document(folder / "manifest.json", to_json(manifest));
  drop_sample_outcomes(folder);
  return {std::move(lock), std::move(lines)};
}

void RunFolder::abandon() {
  std::error_code ignored;
  for (const auto* file : line_files) fs::remove(path() / file, ignored);
  fs::remove(path() / "checkpoint", ignored);
  fs::remove(path() / "manifest.json", ignored);
}

void RunFolder::append(const StepRecord& record) {
  lines_[0].append(record.k, to_json(record));
}

void RunFolder::append(const StepTiming& timing) {
  lines_[1].append(timing.k, to_json(timing));
}

void RunFolder::append(const Evaluation& evaluation) {
  lines_[2].append(evaluation.k, to_json(evaluation));
}

void RunFolder::flush() {
  for (auto& lines : lines_) lines.flush();
}

void RunFolder::save_checkpoint(std::int64_t next_k, TensorFile content) {
  Digests written;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    lines_[i].sync();
    written[line_files[i]] = lines_[i].digest_before(next_k);
  }
  content.state[digests_key] = to_json(written);
  CheckpointFolder(path()).save(next_k, content);
}

void RunFolder::save_model(const TensorFile& content) {
  write_tensor_file(path() / "model.safetensors", content);
}

void RunFolder::save_selected_model(const TensorFile& content) {
  write_tensor_file(path() / "model_best.safetensors", content);
}

void RunFolder::save_summary(const Summary& summary) {
  // A run may have failed because its records cannot be written; its summary has to say so all the same, without
  // digests of what is not on the disk.
  Json document = to_json(summary);
  if (summary.status != RunStatus::failed) {
    flush();
    Digests written = digests_of_sample_outcomes(path());
    for (std::size_t i = 0; i < lines_.size(); ++i) written[line_files[i]] = lines_[i].digest();
    document[digests_key] = to_json(written);
  }
  write_document(path() / "summary.json", document);
}

bool has_checkpoint(const fs::path& folder) {
  return !CheckpointFolder(folder).empty();
}

LoadedCheckpoint load_checkpoint(const fs::path& folder, Damage damage,
                                 const std::function<void(const TensorFile&)>& refuse_foreign) {
  return CheckpointFolder(folder).load_newest(damage, refuse_foreign);
}

WrittenRecords written_records(const fs::path& folder) {
  WrittenRecords at_end{{}, true};
  const auto summary = folder / "summary.json";
  try {
    if (is_present(summary)) read_document(summary, [&](const Json& json) { at_end.digests = digests_in(json); });
  } catch (const Error&) {  // whoever needs the summary itself is told
  }
  if (!at_end.digests.empty()) return at_end;
  return {digests_in(CheckpointFolder(folder).newest_state()), false};
}

std::vector<std::string> damaged_records(const fs::path& folder) {
  const auto [written, whole] = written_records(folder);
  return differences(folder, written, whole);
}

}  // namespace moblo::records
