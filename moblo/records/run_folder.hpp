#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "moblo/records/records.hpp"
#include "moblo/records/tensor_file.hpp"

namespace moblo::records {

/// Everything a run folder holds apart from models: enough for a report, with no torch and no data.
struct RunRecord {
  std::filesystem::path folder;
  Manifest manifest;
  std::vector<StepRecord> steps;
  std::vector<StepTiming> timings;
  std::vector<Evaluation> evaluations;
  std::optional<Summary> summary;  ///< absent while it runs, or after it was killed
};

bool is_run_folder(const std::filesystem::path& folder);

/// Run folders at or below `root` (sorted by path).
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& root);

/// Readable while the run goes on: a last line that is not complete yet is left out; a broken line elsewhere is an
/// Error(data) with its file and number.
RunRecord read_run(const std::filesystem::path& folder);

/// Parts of it, for who needs no more.
Manifest read_manifest(const std::filesystem::path& folder);
std::optional<Summary> read_summary(const std::filesystem::path& folder);

/// Writes manifest.json, steps.jsonl, timings.jsonl, evaluations.jsonl, summary.json, checkpoint/, model.safetensors,
/// and model_best.safetensors where a model was selected.
class RunFolder {
 public:
  /// A new run. Refuses a folder that holds one already, and a place that cannot be written, before any work is done.
  static RunFolder create(const std::filesystem::path& folder, const Manifest& manifest);
  /// To go on from a checkpoint taken before iteration `next_k`: records from there on are cut off, for they will be
  /// computed again.
  static RunFolder reopen(const std::filesystem::path& folder, const Manifest& manifest, std::int64_t next_k);

  void append(const StepRecord& record);
  void append(const StepTiming& timing);
  void append(const Evaluation& evaluation);
  /// Hands buffered lines to the operating system; throws Error(io) where the disk is full.
  void flush();

  /// Flushes and fsyncs the records, then writes checkpoint/step-<k>.safetensors and drops all but the newest two.
  void save_checkpoint(std::int64_t next_k, const TensorFile& content);
  void save_model(const TensorFile& content);
  /// model_best.safetensors
  void save_selected_model(const TensorFile& content);
  void save_summary(const Summary& summary);

  const std::filesystem::path& path() const { return folder_; }

 private:
  explicit RunFolder(std::filesystem::path folder);
  void open_lines();

  std::filesystem::path folder_;
  std::ofstream steps_, timings_, evaluations_;
};

struct LoadedCheckpoint {
  std::int64_t next_k = 0;
  TensorFile content;
  std::string warning;  ///< says so where the newest was damaged and the one before it was taken
};

/// Whether there is any, whole or not: a run that was killed early has none.
bool has_checkpoint(const std::filesystem::path& folder);

/// The newest checkpoint that is whole. Error(checkpoint) where there is none.
LoadedCheckpoint load_checkpoint(const std::filesystem::path& folder);

}  // namespace moblo::records
