#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/gradients/contract.hpp"
#include "moblo/methods/method.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/records/records.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo::training {

/// Sees a run go by: console, run folder, early stopping of a caller's own. Observers never change the iterate.
class MOBLO_API RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void started(const gradients::ProblemShape& /*shape*/, std::int64_t /*first_k*/,
                       std::int64_t /*iterations*/) {}
  /// Before every iteration, whatever `record_every` says, and before `stop_requested` is looked at.
  virtual void iterating(std::int64_t /*k*/) {}
  virtual void stepped(const StepRecord& /*record*/, const StepTiming& /*timing*/) {}
  virtual void evaluated(const Evaluation& /*evaluation*/) {}
  /// The state before iteration `next_k`, taken at every checkpoint.
  virtual void saved(std::int64_t /*next_k*/, const Snapshot& /*state*/) {}
  /// The model that `select` chose, at the end of a run that has one; its tensors by name, as in model.safetensors.
  virtual void selected(const Snapshot& /*model*/) {}
  virtual void ended(const Summary& /*summary*/) {}
};

/// For a loss, a stream of batches or an observer to throw: the run ends as interrupted, with the state before the
/// iteration that it was thrown in. `stop_requested` is looked at between two iterations only.
class MOBLO_API Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Where a run begins instead of at the problem's own values: at the end of another one.
struct MOBLO_API WarmStart {
  /// As RunObserver::saved and Solver::save give it. Alpha, omega and module buffers are taken from it, and what the
  /// method takes over (its weights) where it is of the same method. Optimisers, schedules, batches and random numbers
  /// begin as in any run. A fresh refit still starts from the problem's own omega, with as many steps as that of the
  /// longer of the two runs.
  Snapshot state;
  Json origin = Json::object();  ///< which run it is of, for the manifest
};

struct MOBLO_API RunControl {
  std::vector<RunObserver*> observers{};
  const std::atomic<bool>* stop_requested = nullptr;  ///< looked at before every iteration
  const Snapshot* resume = nullptr;                   ///< state of an earlier checkpoint
  std::exception_ptr* failure = nullptr;              ///< where to put the exception that made a run fail
  const WarmStart* warm_start = nullptr;              ///< not looked at by a run that is resumed
};

/// The one loop. Options are held to the rules that an experiment file is held to; a method that does not suit the
/// problem is refused. Losses that draw from torch's generator (dropout) find it in a state of the run's own, the one
/// at the start: such runs take turns, and leave the generator as they found it. Every outcome, including values that
/// are not finite, comes back as a summary; only an error in what was given is thrown, before iteration 0.
MOBLO_API Summary train(BilevelProblem& problem, Method& method, const TrainingOptions& options = {},
                        const RunControl& control = {});
/// The same with a method that is made for this run: train(problem, Forum({...})).
MOBLO_API Summary train(BilevelProblem& problem, Method&& method, const TrainingOptions& options = {},
                        const RunControl& control = {});

}  // namespace moblo::training

namespace moblo {

using training::Interrupted;
using training::RunControl;
using training::RunObserver;
using training::train;
using training::WarmStart;

}  // namespace moblo
