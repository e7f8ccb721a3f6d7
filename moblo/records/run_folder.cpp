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

namespace moblo::records {
namespace {

namespace fs = std::filesystem;

constexpr const char* steps_name = "steps.jsonl";
constexpr const char* timings_name = "timings.jsonl";
constexpr const char* evaluations_name = "evaluations.jsonl";
constexpr const char* line_files[] = {steps_name, timings_name, evaluations_name};

void write_json(const fs::path& file, const Json& document) {
  write_text_atomically(file, dump_json(document, 2) + "\n");
}

void make_folders(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw io_error(folder, "cannot be created", failure.value());
}

/// False, too, where the answer is refused; the write that follows says why.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::ofstream open_for_append(const fs::path& file) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::app);
  if (!out) throw io_error(file, "cannot be opened for writing", errno != 0 ? errno : EIO);
  return out;
}

void refuse_unless_written(const std::ofstream& out, const fs::path& file) {
  if (!out) throw io_error(file, "cannot be written", errno != 0 ? errno : EIO);
}

void append_line(std::ofstream& out, const fs::path& file, const Json& record) {
  errno = 0;
  out << dump_json(record) << '\n';
  refuse_unless_written(out, file);
}

void flush_lines(std::ofstream& out, const fs::path& file) {
  errno = 0;
  out.flush();
  refuse_unless_written(out, file);
}

template <class Record, class Scan, class Read>
void read_records(const fs::path& file, const Scan& scan, const Read& read, std::vector<Record>& records) {
  const auto use_text = [&](std::string_view line) {
    auto record = scan(line);
    if (record) records.push_back(std::move(*record));
    return record.has_value();
  };
  read_lines(file, use_text, [&](const Json& json) { records.push_back(read(json)); });
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
  read_records(folder / steps_name, scan_step, step_record, run.steps);
  read_records(folder / timings_name, scan_timing, step_timing, run.timings);
  const auto scan_none = [](std::string_view) { return std::optional<Evaluation>(); };
  read_records(folder / evaluations_name, scan_none, evaluation, run.evaluations);
  run.summary = read_summary(folder);
  return run;
}

Manifest read_manifest(const fs::path& folder) {
  Manifest out;
  read_document(folder / "manifest.json", [&](const Json& json) { out = manifest(json); });
  return out;
}

std::optional<Summary> read_summary(const fs::path& folder) {
  const auto file = folder / "summary.json";
  if (!is_there(file)) return std::nullopt;
  std::optional<Summary> out;
  read_document(file, [&](const Json& json) { out = summary(json); });
  return out;
}

RunFolder::RunFolder(fs::path folder) : folder_(std::move(folder)) {}

void RunFolder::open_lines() {
  steps_ = open_for_append(folder_ / steps_name);
  timings_ = open_for_append(folder_ / timings_name);
  evaluations_ = open_for_append(folder_ / evaluations_name);
}

RunFolder RunFolder::create(const fs::path& folder, const Manifest& manifest) {
  refuse_existing_run(folder);
  make_folders(folder / "checkpoint");
  write_json(folder / "manifest.json", to_json(manifest));
  RunFolder run(folder);
  run.open_lines();
  return run;
}

RunFolder RunFolder::reopen(const fs::path& folder, const Manifest& manifest, std::int64_t next_k) {
  if (!is_run_folder(folder)) {
    throw Error(ErrorKind::checkpoint, folder.string(), "holds no run to go on with: it has no manifest.json",
                "Name the folder that --out gave, or start a new run");
  }
  make_folders(folder / "checkpoint");
  // Later checkpoints go first: were the program killed after the cut, one of them would skip the records it cut off.
  CheckpointFolder(folder).drop_after(next_k);
  for (const auto* file : line_files) cut_lines(folder / file, next_k);
  write_json(folder / "manifest.json", to_json(manifest));
  std::error_code ignored;
  fs::remove(folder / "summary.json", ignored);
  drop_sample_outcomes(folder);
  RunFolder run(folder);
  run.open_lines();
  return run;
}

void RunFolder::append(const StepRecord& record) {
  append_line(steps_, folder_ / steps_name, to_json(record));
}

void RunFolder::append(const StepTiming& timing) {
  append_line(timings_, folder_ / timings_name, to_json(timing));
}

void RunFolder::append(const Evaluation& evaluation) {
  append_line(evaluations_, folder_ / evaluations_name, to_json(evaluation));
}

void RunFolder::flush() {
  flush_lines(steps_, folder_ / steps_name);
  flush_lines(timings_, folder_ / timings_name);
  flush_lines(evaluations_, folder_ / evaluations_name);
}

void RunFolder::save_checkpoint(std::int64_t next_k, const TensorFile& content) {
  flush();
  for (const auto* file : line_files) sync_to_disk(folder_ / file);
  CheckpointFolder(folder_).save(next_k, content);
}

void RunFolder::save_model(const TensorFile& content) {
  write_tensor_file(folder_ / "model.safetensors", content);
}

void RunFolder::save_selected_model(const TensorFile& content) {
  write_tensor_file(folder_ / "model_best.safetensors", content);
}

void RunFolder::save_summary(const Summary& summary) {
  // A run may have failed because its records cannot be written; its summary has to say so all the same.
  if (summary.status != RunStatus::failed) flush();
  write_json(folder_ / "summary.json", to_json(summary));
}

bool has_checkpoint(const fs::path& folder) {
  return !CheckpointFolder(folder).empty();
}

LoadedCheckpoint load_checkpoint(const fs::path& folder) {
  return CheckpointFolder(folder).load_newest();
}

}  // namespace moblo::records
