#pragma once

#include <torch/types.h>

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "moblo/base/clock.hpp"
#include "moblo/training/optimiser.hpp"
#include "moblo/training/refit.hpp"
#include "moblo/training/selection.hpp"
#include "moblo/training/stopping.hpp"
#include "moblo/training/training.hpp"

namespace moblo::training {

/// The one loop: train() lets it run to its end, Solver takes it step by step.
class Loop {
 public:
  /// All checks of what was given; throws Error.
  Loop(BilevelProblem& problem, Method& method, const TrainingOptions& options, const RunControl& control);

  /// Whether the losses take numbers from torch's generator.
  bool draws_random() const { return shape_.draws_random; }
  std::int64_t k() const { return k_; }

  /// To the end; every outcome is a summary.
  Summary run();
  /// One iteration. Where it throws, the problem is as it was before it; after NotFinite it is at z_{k-1}, the last
  /// point where all values were finite.
  StepRecord step();
  /// The present point, measured as the next step would; everything stays as it was.
  Summary summary();
  Snapshot state();

 private:
  /// What has to go back when a step is undone.
  struct Before {
    Snapshot method;
    Selection selection;
    std::int64_t upper_position, lower_position;
    std::vector<torch::Tensor> buffers;  ///< empty once the step is completed
    torch::Tensor random_state;          ///< undefined where the losses draw nothing
  };

  template <class Tell>
  void notify(Tell tell) {
    for (auto* observer : control_.observers) tell(*observer);
  }

  double seconds() const { return seconds_before_ + watch_.seconds(); }

  RunStatus iterate();
  std::optional<RunStatus> step_and_tell();
  /// measure() and move() of iteration k; nothing remains of it where it throws.
  StepRecord advance(PhaseTimer& timer);
  Before before_this_step();
  void undo_begun(const Before& begun);
  void evaluate();
  Measurement measure_here();
  void finish(Summary& summary);
  void prepare_refit();
  void describe_point(const StepRecord& record, Summary& summary);
  void step_back();
  void take_back(const NotFinite& error, Summary& summary);
  void fail(const std::string& what, Summary& summary);
  void interrupt(Summary& summary);
  void end(Summary& summary);
  void end_badly(const std::string& what, Summary& summary);
  void save();
  void save_or_say(Summary& summary);
  void restore(const Snapshot& state);
  void begin_at(const Snapshot& ended);

  BilevelProblem& problem_;
  Method& method_;
  TrainingOptions options_;
  RunControl control_;
  gradients::ProblemShape shape_;
  Optimisers optimisers_;
  Stopping stopping_;
  Selection selection_;
  std::optional<Evaluation> first_evaluation_;  // taken early, to check what `select` names
  bool refits_;
  RefitOptions refit_;
  GradientCounts gradients_of_a_step_;  // the last one
  base::Stopwatch watch_;
  double seconds_before_ = 0;
  std::int64_t k_ = 0, first_k_ = 0;
  std::int64_t iterations_of_start_ = 0;  // of the longest run that led to a warm start
  std::optional<Before> before_;          // of the last completed step
};

}  // namespace moblo::training
