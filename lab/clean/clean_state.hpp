#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/clean/job_result.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::clean {

/// The folder `clean_state` below that of a `clean` which is not finished: what was asked, and the result of every job
/// that is done, each one file that is replaced as a whole and has a checksum. Whoever uses it holds the lock of the
/// folder.
class CleanState {
 public:
  /// Keeps nothing.
  CleanState() = default;
  /// Begins, or goes on where `asked` is what stored_request() gives. A file that is damaged, or of something else, is
  /// removed with a warning: its job is done again.
  CleanState(const std::filesystem::path& folder, const Json& asked);

  std::size_t found() const { return results_.size(); }  ///< jobs that were done before
  const std::vector<std::string>& warnings() const { return warnings_; }

  bool has(const std::string& job) const { return results_.contains(job); }
  /// Different jobs may call these at the same time.
  JobResult take(const std::string& job) { return std::move(results_.at(job)); }
  void keep(const std::string& job, const JobResult& result) const;

 private:
  void read(const std::filesystem::path& file);

  std::filesystem::path folder_;
  std::string key_;  // digest of what was asked
  std::map<std::string, JobResult> results_;
  std::vector<std::string> warnings_;
};

/// What was asked of the unfinished `clean` in this folder; nothing where there is none. Error(checkpoint) where it
/// cannot be read.
std::optional<Json> stored_request(const std::filesystem::path& folder);

/// Once the results are on the disk. What was asked goes last.
void remove_clean_state(const std::filesystem::path& folder);

}  // namespace moblo::lab::clean
