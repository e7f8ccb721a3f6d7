#pragma once

#include <map>
#include <string>
#include <vector>

#include "moblo/base/clock.hpp"
#include "moblo/experiment/plan.hpp"
#include "moblo/record/records.hpp"

namespace moblo::cli {

/// Where a cell stands that runs now.
struct RunningCell {
  const RunPlan* plan;
  std::int64_t first_k, k, iterations;
  double seconds;
};

/// How far an experiment is: one line that is redrawn on a terminal, a line a finished cell elsewhere. Standard error.
class PoolProgress {
 public:
  PoolProgress(std::size_t cells, std::size_t jobs, bool quiet);

  void done_before(const RunPlan& plan, const Summary& summary);
  void ended(const RunPlan& plan, const Summary& summary);
  void show(const std::vector<RunningCell>& running, const std::vector<const RunPlan*>& waiting);

  /// Of what is left; from the pace of cells of the same case, else of all of them. Negative while nothing is known.
  double seconds_left(const std::vector<RunningCell>& running, const std::vector<const RunPlan*>& waiting) const;

 private:
  struct Pace {
    double seconds = 0, iterations = 0;
  };
  void learn(const std::string& group, double seconds, double iterations);
  void clear_line() const;

  std::size_t cells_, jobs_, done_ = 0;
  bool quiet_, terminal_;
  std::map<std::string, Pace> paces_;  ///< by case, and of all under the empty name
  Stopwatch watch_;
  double last_shown_ = -1;
};

}  // namespace moblo::cli
