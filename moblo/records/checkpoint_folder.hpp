#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "moblo/records/run_folder.hpp"

namespace moblo::records {

/// The folder checkpoint/ of a run: files step-<next_k>.safetensors, of which the newest two are kept. Anything else in
/// it is left alone, apart from temporaries of writes that were cut short.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(const std::filesystem::path& run_folder);

  void save(std::int64_t next_k, const TensorFile& content) const;
  bool empty() const { return newest_first().empty(); }
  LoadedCheckpoint load_newest(Damage damage, const std::function<void(const TensorFile&)>& refuse_foreign) const;
  /// The state of the newest whose header can be read; null where there is none.
  Json newest_state() const;
  /// Drops the checkpoints of iterations that are going to be computed again.
  void drop_after(std::int64_t next_k) const;

 private:
  struct Entry {
    std::int64_t next_k;
    std::filesystem::path file;
  };

  std::vector<Entry> newest_first() const;

  std::filesystem::path run_folder_, folder_;
};

}  // namespace moblo::records
