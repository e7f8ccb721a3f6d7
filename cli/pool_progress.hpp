#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/progress_line.hpp"
#include "lab/experiments/plan.hpp"
#include "moblo/records/records.hpp"

namespace moblo::cli {

/// Where a cell stands that runs now.
struct RunningCell {
  const lab::experiments::RunPlan* plan;
  std::int64_t first_k, k, iterations;
  double seconds;
};

/// How far an experiment is: one line that is redrawn on a terminal; elsewhere one line per finished cell.
class PoolProgress {
 public:
  PoolProgress(std::size_t cells, std::size_t jobs, bool quiet, std::size_t done = 0);

  void done_before(const lab::experiments::RunPlan& plan, const Summary& summary);
  void ended(const lab::experiments::RunPlan& plan, const Summary& summary);
  void show(const std::vector<RunningCell>& running, const std::vector<const lab::experiments::RunPlan*>& waiting);

  /// Of what is left; from the pace of cells of the same case, else of all of them. Negative while nothing is known.
  double seconds_left(const std::vector<RunningCell>& running,
                      const std::vector<const lab::experiments::RunPlan*>& waiting) const;

 private:
  struct Pace {
    double seconds = 0, iterations = 0;
  };
  void learn(const std::string& group, double seconds, double iterations);

  std::size_t cells_, jobs_, done_;
  ProgressLine line_;
  std::map<std::string, Pace> paces_;  ///< by case, and of all under the empty name
};

}  // namespace moblo::cli
