#pragma once

#include <string>
#include <utility>

#include "moblo/base/clock.hpp"
#include "moblo/records/run_folder.hpp"
#include "moblo/training/training.hpp"

namespace moblo::training {

/// Sizes, and the names of the objectives where the problem gives them: `problem` of a manifest.
Json describe_shape(const gradients::ProblemShape& shape, const BilevelProblem& problem);

/// Writes what it sees into a run folder, each second at least, so that it can be followed. The fingerprint goes into
/// every checkpoint and tells it from another run's.
class FolderObserver : public RunObserver {
 public:
  FolderObserver(records::RunFolder& folder, BilevelProblem& problem, std::string fingerprint)
      : folder_(folder), problem_(problem), fingerprint_(std::move(fingerprint)) {}

  void stepped(const StepRecord& record, const StepTiming& timing) override;
  void evaluated(const Evaluation& evaluation) override { folder_.append(evaluation); }
  void saved(std::int64_t next_k, const Snapshot& state) override;
  void selected(const Snapshot& model) override;
  void ended(const Summary& summary) override;

 private:
  void write_samples();

  records::RunFolder& folder_;
  BilevelProblem& problem_;
  std::string fingerprint_;
  base::Stopwatch since_flush_;
};

}  // namespace moblo::training
