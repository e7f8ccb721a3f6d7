#pragma once

#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>

#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/export.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/problem/snapshot.hpp"
#include "moblo/records/records.hpp"

namespace moblo::methods {

/// A loss or gradient at z_k that is NaN or infinite. Nothing was updated.
class MOBLO_API NotFinite : public Error {
 public:
  explicit NotFinite(const std::string& what)
      : Error(ErrorKind::numeric, what, "is not finite",
              "Lower the step sizes (optimiser.omega.step_size, the method's inner_step_size), or start elsewhere") {}
};

/// Moves the iterate; the optimisers of the training room stand behind it.
class MOBLO_API Updater {
 public:
  virtual ~Updater() = default;
  /// `direction` over alpha's columns of the gradient matrix: dense ones, then those of the open slices.
  virtual void update_upper(const torch::Tensor& direction) = 0;
  virtual void update_lower(const torch::Tensor& direction) = 0;
  /// omega <- values, past the optimiser: for methods whose lower loop makes the model.
  virtual void replace_lower(const torch::Tensor& values) = 0;
};

/// Where a step takes place. The slices of the upper pack are open while it is measured and moved.
struct MOBLO_API StepContext {
  BilevelProblem& problem;
  PhaseTimer& timer;
  std::int64_t k;
};

/// Vectors that a step holds at one time, at most: rows of gradients, iterates of the lower loop, directions.
struct MOBLO_API Held {
  std::int64_t omegas = 0;  ///< as long as omega
  std::int64_t alphas = 0;  ///< as long as the per-sample part of alpha
  std::int64_t passes = 1;  ///< what a pass through the losses leaves behind; second derivatives keep more of it
};

/// What is known at z_k. `k`, the distance and the counts of gradients are the loop's to fill in.
struct MOBLO_API Measurement {
  StepRecord record;
  torch::Tensor upper_direction;  ///< over alpha's columns; undefined where alpha does not move along a direction
  torch::Tensor lower_direction;  ///< over omega's
  std::string unmet_limits{};     ///< which limits z_k exceeds, in words; a run that ends there has not met them
};

/// One algorithm. It never prints, writes files or reads the clock for decisions. All that it carries from step to step
/// goes through save() and restore(): a checkpoint is just that value.
class MOBLO_API Method {
 public:
  virtual ~Method() = default;

  /// By which `unsuitable` decides whether it can run on a problem.
  virtual MethodTraits traits() const = 0;
  /// For messages.
  virtual std::string name() const = 0;
  /// As an experiment file would give them. train_in_folder tells runs apart by them, so a method of your own that has
  /// options overrides it.
  virtual Json options() const { return Json::object(); }

  /// Sets the state for iteration 0.
  virtual void start(BilevelProblem& problem, std::int64_t objectives) = 0;
  /// Evaluates z_k. Takes batches from the streams and may advance the method's own state (smoothed weights), which the
  /// loop can restore; alpha and omega stay. Throws NotFinite.
  virtual Measurement measure(const StepContext& context) = 0;
  /// z_k -> z_{k+1}, from what has just been measured there.
  virtual void move(const Measurement& here, const StepContext& context, Updater& updater) = 0;

  virtual Snapshot save() const = 0;
  virtual void restore(const Snapshot& state) = 0;

  /// After start(), for a run that begins where another of this method has ended: takes over what is worth something
  /// there too, such as its weights. `ended` is what save() of the other gave.
  virtual void take_over(const Snapshot& /*ended*/) {}

  /// For the loop, which may have to take a step back: the state before a step, and the way back to it from that step,
  /// completed or not. Override both where a copy of the whole state in each step costs too much, that is where it
  /// grows with the number of samples.
  virtual Snapshot before_step() const { return save(); }
  virtual void undo_step(const Snapshot& before) { restore(before); }

  /// After start(), for the prediction of a run's memory; empty where it is not known.
  virtual std::optional<Held> holds(std::int64_t /*objectives*/) const { return std::nullopt; }
};

/// What a BuiltIn is made of.
struct MOBLO_API CheckedSteps {
  std::unique_ptr<Method> method;
  Json options;  ///< after the check: every option with its value
};

/// A method of ours as users name it (Forum, Moml, ...): made from its options, which are checked on the way in.
class MOBLO_API BuiltIn : public Method {
 public:
  MethodTraits traits() const override { return method_->traits(); }
  std::string name() const override { return method_->name(); }
  Json options() const override { return options_; }
  void start(BilevelProblem& problem, std::int64_t objectives) override { method_->start(problem, objectives); }
  Measurement measure(const StepContext& context) override { return method_->measure(context); }
  void move(const Measurement& here, const StepContext& context, Updater& updater) override {
    method_->move(here, context, updater);
  }
  Snapshot save() const override { return method_->save(); }
  void restore(const Snapshot& state) override { method_->restore(state); }
  void take_over(const Snapshot& ended) override { method_->take_over(ended); }
  Snapshot before_step() const override { return method_->before_step(); }
  void undo_step(const Snapshot& before) override { method_->undo_step(before); }
  std::optional<Held> holds(std::int64_t objectives) const override { return method_->holds(objectives); }

 protected:
  explicit BuiltIn(CheckedSteps steps) : method_(std::move(steps.method)), options_(std::move(steps.options)) {}
  const Method& steps() const { return *method_; }

 private:
  std::unique_ptr<Method> method_;
  Json options_;
};

}  // namespace moblo::methods

namespace moblo {

using methods::BuiltIn;
using methods::Held;
using methods::Measurement;
using methods::Method;
using methods::NotFinite;
using methods::StepContext;
using methods::Updater;

}  // namespace moblo
