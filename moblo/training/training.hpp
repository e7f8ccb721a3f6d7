#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "moblo/gradients/contract.hpp"
#include "moblo/methods/method.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/record/records.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo {

/// Sees a run go by: console, run folder, early stopping of a caller's own. Observers never change the iterate.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void started(const ProblemShape& /*shape*/, std::int64_t /*first_k*/, std::int64_t /*iterations*/) {}
  virtual void stepped(const StepRecord& /*record*/, const StepTiming& /*timing*/) {}
  virtual void evaluated(const Evaluation& /*evaluation*/) {}
  /// The state before iteration `next_k`, taken at every checkpoint.
  virtual void saved(std::int64_t /*next_k*/, const Snapshot& /*state*/) {}
  /// The model that `select` chose, at the end of a run that has one; its tensors by name, as in model.safetensors.
  virtual void selected(const Snapshot& /*model*/) {}
  virtual void ended(const Summary& /*summary*/) {}
};

struct RunControl {
  std::vector<RunObserver*> observers;
  const std::atomic<bool>* stop_requested = nullptr;  ///< looked at before every iteration
  const Snapshot* resume = nullptr;                   ///< state of an earlier checkpoint
};

/// The one loop. Every outcome, including values that are not finite, comes back as a summary; only an error in what
/// was given is thrown, before iteration 0.
Summary train(BilevelProblem& problem, Method& method, const TrainingOptions& options = {},
              const RunControl& control = {});

}  // namespace moblo
