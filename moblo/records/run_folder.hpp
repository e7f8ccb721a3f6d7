#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "moblo/records/folder_lock.hpp"
#include "moblo/records/line_writer.hpp"
#include "moblo/records/records.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::records {

/// Everything a run folder holds apart from models: enough for a report, with no torch and no data. Of a long run the
/// steps and timings are thinned (thinning.hpp), so that its memory is bounded.
struct RunRecord {
  std::filesystem::path folder;
  Manifest manifest;
  std::vector<StepRecord> steps;
  std::vector<StepTiming> timings;
  StepTiming timing_sum;  ///< over all steps: seconds by phase, the highest peak
  std::vector<Evaluation> evaluations;
  std::optional<Summary> summary;   ///< absent while it runs, or after it was killed
  std::vector<std::string> damage;  ///< records that are not as they were written
  bool thinned = false;             ///< steps are missing; read_step() finds them
};

bool is_run_folder(const std::filesystem::path& folder);

/// Run folders at or below `root` (sorted by path).
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& root);

/// Readable while the run goes on: a last line that is not complete yet is left out; a broken line elsewhere is an
/// Error(data) with its file and number.
RunRecord read_run(const std::filesystem::path& folder);

/// The record of one iteration, found in a file of any length without reading it all; empty where there is none.
std::optional<StepRecord> read_step(const std::filesystem::path& folder, std::int64_t k);

/// Parts of it, for who needs no more.
Manifest read_manifest(const std::filesystem::path& folder);
std::optional<Summary> read_summary(const std::filesystem::path& folder);

/// Writes manifest.json, steps.jsonl, timings.jsonl, evaluations.jsonl, summary.json, checkpoint/, model.safetensors,
/// and model_best.safetensors where a model was selected. Holds the folder's lock: it has one writer at a time.
class RunFolder {
 public:
  /// A place for a new run, locked. Refuses a folder that holds one already, and a place that cannot be written, before
  /// any work is done.
  static FolderLock lock_new(const std::filesystem::path& folder);
  /// A folder that holds a run, locked.
  static FolderLock lock_existing(const std::filesystem::path& folder);

  static RunFolder create(FolderLock lock, const Manifest& manifest);
  static RunFolder create(const std::filesystem::path& folder, const Manifest& manifest) {
    return create(lock_new(folder), manifest);
  }
  /// To go on from a checkpoint taken before iteration `next_k`: records from there on are cut off, for they will be
  /// computed again.
  static RunFolder reopen(FolderLock lock, const Manifest& manifest, std::int64_t next_k);
  static RunFolder reopen(const std::filesystem::path& folder, const Manifest& manifest, std::int64_t next_k) {
    return reopen(lock_existing(folder), manifest, next_k);
  }

  void append(const StepRecord& record);
  void append(const StepTiming& timing);
  void append(const Evaluation& evaluation);
  /// Hands buffered lines to the operating system; throws Error(io) where the disk is full.
  void flush();

  /// Flushes and fsyncs the records, then writes checkpoint/step-<k>.safetensors, with the digests of the records in
  /// its state, and drops all but the newest two.
  void save_checkpoint(std::int64_t next_k, TensorFile content);
  void save_model(const TensorFile& content);
  /// model_best.safetensors
  void save_selected_model(const TensorFile& content);
  /// With the digests of all records.
  void save_summary(const Summary& summary);

  /// Takes back a run that was refused before its first iteration: the folder is free again.
  void abandon();

  const std::filesystem::path& path() const { return lock_.folder(); }

 private:
  /// One of each line file, in the order of their names.
  using Lines = std::array<LineWriter, 3>;

  RunFolder(FolderLock lock, Lines lines) : lock_(std::move(lock)), lines_(std::move(lines)) {}

  FolderLock lock_;
  Lines lines_;
};

struct LoadedCheckpoint {
  std::int64_t next_k = 0;
  TensorFile content;
  std::string warning;  ///< what was found damaged, and what was taken instead
};

/// Removes what writes that were cut short have left in a folder; its lock must be held.
void drop_temporaries(const std::filesystem::path& folder);

/// Whether there is any, whole or not: a run that was killed early has none.
bool has_checkpoint(const std::filesystem::path& folder);

enum class Damage { refuse, accept };

/// The newest checkpoint that is whole and whose records are as it saw them. Error(checkpoint) where there is none.
/// Damage::accept takes changed records as they are and says so in the warning. `refuse_foreign` may throw at the state
/// of another run, before its records are looked at.
LoadedCheckpoint load_checkpoint(const std::filesystem::path& folder, Damage damage = Damage::refuse,
                                 const std::function<void(const TensorFile&)>& refuse_foreign = {});

/// The digests of a run's records: of whole files in its summary, or, where it has not ended or the summary cannot be
/// read, of their beginnings in its newest checkpoint. None for a folder of a version that wrote no digests.
struct WrittenRecords {
  Digests digests;
  bool whole = false;
};
WrittenRecords written_records(const std::filesystem::path& folder);

/// What is known to have changed in them, in words, one entry per file.
std::vector<std::string> damaged_records(const std::filesystem::path& folder);

}  // namespace moblo::records
