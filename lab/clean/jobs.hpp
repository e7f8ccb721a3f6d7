#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "lab/clean/clean_state.hpp"

namespace moblo::lab::clean {

/// How far the work is, counted in training steps, and whether it is still wanted.
class Monitor {
 public:
  using Listener = std::function<void(const std::string& stage, std::int64_t done, std::int64_t all)>;

  explicit Monitor(Listener listener = nullptr, const std::atomic<bool>* stop = nullptr)
      : listener_(std::move(listener)), stop_(stop) {}

  void expect(std::int64_t steps) { all_ += steps; }
  void enter(const std::string& stage);
  /// One step is done.
  void count();
  /// The same; throws Interrupted where the user has asked to stop.
  void step();
  void refuse_if_stopped() const;
  /// For train(), which looks at it by itself; null where nobody can ask.
  const std::atomic<bool>* stop_requested() const { return stop_; }

 private:
  Listener listener_;
  const std::atomic<bool>* stop_;
  std::mutex guard_;
  std::string stage_;
  std::int64_t done_ = 0, all_ = 0;
};

/// The user has asked to stop; nothing is left half-written.
struct Interrupted {};

/// Its result is decided by what was asked and by the jobs of earlier stages: a later process may take it from a file.
struct Job {
  std::string name;  ///< of its file as well
  std::int64_t steps = 0;
  std::function<JobResult()> work;
  std::function<void(const JobResult&)> take;
};

/// One that learns a network and adds it to `into`.
Job network_job(std::string name, std::int64_t steps, std::function<nets::DenseClassifier()> learn,
                std::vector<nets::DenseClassifier>& into);

/// Runs independent jobs on `threads` threads, each with one thread of torch: their results do not depend on how many
/// run at a time. Those that `state` has are not done again, the others are kept there. Throws what the first of them
/// that failed, in their order, has thrown.
void run_jobs(const std::vector<Job>& jobs, int threads, CleanState& state, Monitor& monitor);

}  // namespace moblo::lab::clean
