#include "moblo/training/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/gradients/gradient_counts.hpp"
#include "moblo/gradients/lower_rows.hpp"
#include "moblo/gradients/random_state.hpp"
#include "moblo/training/door.hpp"
#include "moblo/training/run_refit.hpp"
#include "moblo/training/state.hpp"

namespace moblo::training {
namespace {

std::vector<torch::Tensor> copies_of_buffers(BilevelProblem& problem) {
  std::vector<torch::Tensor> copies;
  for (auto* pack : {&problem.upper(), &problem.lower()}) {
    for (const auto& buffer : pack->written_buffers()) copies.push_back(buffer.detach().clone());
  }
  return copies;
}

void put_back_buffers(BilevelProblem& problem, const std::vector<torch::Tensor>& copies) {
  const torch::NoGradGuard no_grad;
  std::size_t i = 0;
  for (auto* pack : {&problem.upper(), &problem.lower()}) {
    for (auto& buffer : pack->written_buffers()) buffer.copy_(copies[i++]);
  }
}

Snapshot method_state(const Snapshot& of_run) {
  Snapshot method;
  method.values = of_run.values.at("method");
  for (const auto& [name, tensor] : of_run.tensors) {
    if (name.starts_with("method/")) method.tensors[name.substr(7)] = tensor;
  }
  return method;
}

}  // namespace

Loop::Loop(BilevelProblem& problem, Method& method, const TrainingOptions& options, const RunControl& control)
    : problem_(problem),
      method_(method),
      options_(TrainingOptions::table().checked(options, {})),
      control_(control),
      shape_(gradients::check_contract(problem, method.traits().learns_start)),
      optimisers_(options.optimiser, problem, options.iterations),
      stopping_(options.stop),
      selection_(options.select),
      refits_(training::refits(options_, method.traits())) {
  problem::refuse_unsuitable(method_.name(), method_.traits(), "the problem", problem_.traits());
  if (refits_) prepare_refit();
  method_.start(problem_, shape_.m);
  if (control_.resume) {
    restore(*control_.resume);
  } else if (control_.warm_start) {
    begin_at(control_.warm_start->state);
  }
  if (selection_.wanted()) {
    first_evaluation_ = Evaluation{k_, first_metrics(problem_)};
    selection_.refuse_unknown_metric(*first_evaluation_);
  }
}

Summary Loop::run() {
  Summary summary;
  summary.status = RunStatus::completed;
  try {
    notify([&](RunObserver& o) { o.started(shape_, k_, options_.iterations); });
    summary.status = iterate();
    finish(summary);
    if (refits_ && summary.status != RunStatus::interrupted) {
      const auto* chosen = selection_.chosen() ? &selection_.model() : nullptr;
      const auto iterations = std::max(k_, iterations_of_start_);
      refit_into(summary, problem_, options_, {iterations, seconds(), gradients_of_a_step_, refit_, chosen}, control_);
    }
  } catch (const NotFinite& error) {
    take_back(error, summary);
  } catch (const Interrupted&) {
    interrupt(summary);
  } catch (const c10::Error& error) {
    fail(error.what_without_backtrace(), summary);
  } catch (const std::exception& error) {
    fail(error.what(), summary);
  } catch (...) {
    fail("a loss, a batch or an observer threw something that is not a std::exception", summary);
  }
  summary.warnings.insert(summary.warnings.begin(), shape_.warnings.begin(), shape_.warnings.end());
  if (selection_.chosen()) summary.final_state["selected"] = selection_.describe();
  summary.iterations = k_;
  summary.seconds = seconds();
  if (summary.message.empty()) summary.message = describe(summary.status);
  end(summary);
  return summary;
}

RunStatus Loop::iterate() {
  while (k_ < options_.iterations && !stopping_.gradients_used_up()) {
    notify([&](RunObserver& o) { o.iterating(k_); });
    if (control_.stop_requested && *control_.stop_requested) return RunStatus::interrupted;
    if (options_.checkpoint_every > 0 && k_ % options_.checkpoint_every == 0 && k_ > first_k_) save();
    if (options_.evaluate_every > 0 && k_ % options_.evaluate_every == 0) evaluate();
    if (const auto status = step_and_tell()) return *status;
  }
  return RunStatus::completed;
}

std::optional<RunStatus> Loop::step_and_tell() {
  PhaseTimer timer;
  const StepRecord record = advance(timer);
  if (record.k % options_.record_every == 0) {
    const StepTiming timing{record.k, timer.seconds(), base::peak_resident_bytes()};
    notify([&](RunObserver& o) { o.stepped(record, timing); });
  }
  return stopping_.after(record, seconds());
}

StepRecord Loop::step() {
  PhaseTimer timer;
  try {
    return advance(timer);
  } catch (const NotFinite&) {
    step_back();
    throw;
  }
}

Loop::Before Loop::before_this_step() {
  return {method_.before_step(),
          selection_,
          problem_.upper_batches().position(),
          problem_.lower_batches().position(),
          copies_of_buffers(problem_),
          shape_.draws_random ? gradients::torch_random_state() : torch::Tensor()};
}

StepRecord Loop::advance(PhaseTimer& timer) {
  problem_.upper().take_over();
  problem_.lower().take_over();
  const auto distance = problem_.distance_to_solution_set();
  Before begun = before_this_step();
  optimisers_.begin(k_);
  const GradientCounts counted = gradients::gradient_counts();
  Measurement here;
  try {
    const gradients::LowerRowsBorrowed rows(problem_);
    const problem::SlicesOpen slices(problem_.upper());
    const StepContext context{problem_, timer, k_};
    here = method_.measure(context);
    method_.move(here, context, optimisers_);
  } catch (...) {
    undo_begun(begun);
    throw;
  }
  begun.buffers.clear();
  before_ = std::move(begun);
  problem_.upper_batches().release_before(before_->upper_position);
  problem_.lower_batches().release_before(before_->lower_position);
  here.record.k = k_++;
  here.record.gradients = gradients_of_a_step_ = gradients::gradient_counts() - counted;
  here.record.distance = distance;
  return std::move(here.record);
}

/// A loss that threw, or was interrupted, may be evaluated again: nothing of the half-made step remains.
void Loop::undo_begun(const Before& begun) {
  optimisers_.undo_begun();
  method_.undo_step(begun.method);
  problem_.upper_batches().seek(begun.upper_position);
  problem_.lower_batches().seek(begun.lower_position);
  put_back_buffers(problem_, begun.buffers);
  if (begun.random_state.defined()) gradients::set_torch_random_state(begun.random_state);
}

void Loop::evaluate() {
  const bool known = first_evaluation_ && first_evaluation_->k == k_;
  const Evaluation evaluation = known ? *first_evaluation_ : Evaluation{k_, problem_.evaluate()};
  first_evaluation_.reset();
  optimisers_.evaluated(k_, selection_.offer(evaluation, problem_));
  if (!evaluation.metrics.empty()) notify([&](RunObserver& o) { o.evaluated(evaluation); });
}

Measurement Loop::measure_here() {
  const Before here = before_this_step();
  optimisers_.begin(k_);
  PhaseTimer timer;
  Measurement measured;
  try {
    const gradients::LowerRowsBorrowed rows(problem_);
    const problem::SlicesOpen slices(problem_.upper());
    measured = method_.measure({problem_, timer, k_});
  } catch (...) {
    undo_begun(here);
    throw;
  }
  undo_begun(here);
  return measured;
}

/// Omega as it is now is where a fresh refit starts.
void Loop::prepare_refit() {
  refit_ = refit_options(options_);
  if (options_.refit == RefitStart::fresh) refit_.start_here(problem_);
}

/// z_k gave values that are not finite: z_{k-1} is the last point where all of them were.
void Loop::step_back() {
  if (!before_) return;
  optimisers_.roll_back();
  method_.undo_step(before_->method);
  selection_ = before_->selection;
  problem_.upper_batches().seek(before_->upper_position);
  problem_.lower_batches().seek(before_->lower_position);
  before_.reset();
  --k_;
}

}  // namespace moblo::training
