#pragma once

#include <torch/torch.h>

#include <memory>
#include <optional>

#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/problem/snapshot.hpp"
#include "moblo/record/records.hpp"

namespace moblo {

/// A loss or gradient at z_k that is NaN or infinite. Nothing was updated.
class NotFinite : public Error {
 public:
  explicit NotFinite(const std::string& what)
      : Error(ErrorKind::numeric, what, "is not finite",
              "Lower the step sizes (optimiser.omega.step_size, the method's inner_step_size), or start elsewhere") {}
};

/// Moves the iterate; the optimisers of the training room stand behind it.
class Updater {
 public:
  virtual ~Updater() = default;
  /// `direction` over alpha's columns of the gradient matrix: dense ones, then those of the open slices.
  virtual void update_upper(const torch::Tensor& direction) = 0;
  virtual void update_lower(const torch::Tensor& direction) = 0;
  /// omega <- values, past the optimiser: for methods whose lower loop makes the model.
  virtual void replace_lower(const torch::Tensor& values) = 0;
};

struct StepContext {
  BilevelProblem& problem;
  Updater& updater;
  PhaseTimer& timer;
  std::int64_t k;
};

/// Vectors that a step holds at one time, at most: rows of gradients, iterates of the lower loop, directions.
struct Held {
  std::int64_t omegas = 0;  ///< as long as omega
  std::int64_t alphas = 0;  ///< as long as the per-sample part of alpha
  std::int64_t passes = 1;  ///< what a pass through the losses leaves behind; second derivatives keep more of it
};

/// One algorithm. It never prints, writes files or reads the clock for decisions. All that it carries from step to step
/// goes through save() and restore(): a checkpoint is just that value.
class Method {
 public:
  virtual ~Method() = default;

  /// Sets the state for iteration 0.
  virtual void start(BilevelProblem& problem, std::int64_t objectives) = 0;
  /// Evaluates z_k, then moves it. Throws NotFinite before anything has moved.
  virtual StepRecord step(const StepContext& context) = 0;

  virtual Snapshot save() const = 0;
  virtual void restore(const Snapshot& state) = 0;

  /// For the loop, which may have to take a step back: the state before a step, and the way back from the last step
  /// that was completed. Override both where a copy of the whole state a step costs too much, that is where it grows
  /// with the number of samples.
  virtual Snapshot before_step() const { return save(); }
  virtual void undo_step(const Snapshot& before) { restore(before); }

  /// After start(), for the prediction of a run's memory; empty where it is not known.
  virtual std::optional<Held> holds(std::int64_t /*objectives*/) const { return std::nullopt; }
};

}  // namespace moblo
