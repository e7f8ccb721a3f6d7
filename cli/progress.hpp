#pragma once

#include <string>

#include "cli/progress_line.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/training/training.hpp"

namespace moblo::cli {

/// How far a run is: a bar with rate and time left on a terminal, its numbers alone elsewhere.
class Progress : public RunObserver {
 public:
  Progress(std::string name, bool quiet);

  void started(const gradients::ProblemShape& shape, std::int64_t first_k, std::int64_t iterations) override;
  void stepped(const StepRecord& record, const StepTiming& timing) override;
  void ended(const Summary& summary) override;

 private:
  std::string bar(const StepRecord& record) const;
  std::string numbers(const StepRecord& record) const;

  std::string name_;
  ProgressLine line_;
  std::int64_t first_k_ = 0, iterations_ = 0;
  base::Stopwatch watch_;
};

}  // namespace moblo::cli
