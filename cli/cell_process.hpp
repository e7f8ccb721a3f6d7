#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "lab/experiments/plan.hpp"

namespace moblo::cli {

/// One cell of an experiment in an engine of its own: what happens to it happens to no other. It dies with this
/// process.
class CellProcess {
 public:
  CellProcess(const std::filesystem::path& engine, const lab::experiments::RunPlan& plan, const std::string& title,
              const std::filesystem::path& folder);
  ~CellProcess();
  CellProcess(const CellProcess&) = delete;
  CellProcess& operator=(const CellProcess&) = delete;

  /// To be waited on; readable where there is progress, or where the process ended.
  int descriptor() const { return progress_; }
  /// Takes what has come; false once the process has ended.
  bool read_progress();
  /// Asks it to save its state and end.
  void interrupt();

  std::int64_t first_k() const { return first_k_; }
  std::int64_t k() const { return k_; }
  std::int64_t iterations() const { return iterations_; }

  /// Of a process that ended: whether its run ended in good order, so that the folder holds its summary.
  bool has_summary() const { return has_summary_; }
  int exit_code() const;
  /// What it said on standard error; where it died, of what.
  std::string complaint() const;

 private:
  void take_line(const std::string& line);

  pid_t process_ = -1;
  int progress_ = -1, errors_ = -1;
  int status_ = 0;
  std::string rest_;
  std::optional<std::int64_t> started_at_;
  std::int64_t first_k_ = 0, k_ = 0, iterations_ = 0;
  bool has_summary_ = false;
};

}  // namespace moblo::cli
