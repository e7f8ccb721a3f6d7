#include "moblo/training/training.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/gradients/gradient_counts.hpp"
#include "moblo/gradients/lower_rows.hpp"
#include "moblo/training/door.hpp"
#include "moblo/training/in_use.hpp"
#include "moblo/training/optimiser.hpp"
#include "moblo/training/run_refit.hpp"
#include "moblo/training/selection.hpp"
#include "moblo/training/state.hpp"
#include "moblo/training/stopping.hpp"
#include "moblo/training/torch_generator.hpp"

namespace moblo::training {
namespace {

constexpr std::int64_t small_problem = 32;  // up to here a summary shows the variables themselves

std::vector<double> small_variables(ParameterPack& pack) {
  std::vector<double> values;
  if (pack.size() > small_problem) return values;
  const auto add = [&](const torch::Tensor& tensor) {
    const auto flat = tensor.detach().to(torch::kFloat64).contiguous().view({-1});
    for (std::int64_t i = 0; i < flat.numel(); ++i) values.push_back(flat[i].item().toDouble());
  };
  add(pack.values());
  for (const auto& table : pack.tables()) add(table.values);
  return values;
}

class Loop {
 public:
  Loop(BilevelProblem& problem, Method& method, const TrainingOptions& options, const RunControl& control)
      : problem_(problem),
        method_(method),
        options_(TrainingOptions::table().checked(options, {})),
        control_(control),
        shape_(gradients::check_contract(problem, method.traits().learns_start)),
        optimisers_(options.optimiser, problem, options.iterations),
        stopping_(options.stop),
        selection_(options.select),
        refits_(training::refits(options_, method.traits())) {
    if (!shape_.draws_random) generator_.release();
    problem::refuse_unsuitable(method_.name(), method_.traits(), "the problem", problem_.traits());
    if (refits_) prepare_refit();
    method_.start(problem_, shape_.m);
    if (control_.resume) restore(*control_.resume);
    if (selection_.wanted()) {
      first_evaluation_ = Evaluation{k_, first_metrics(problem_)};
      selection_.refuse_unknown_metric(*first_evaluation_);
    }
  }

  Summary run() {
    Summary summary;
    summary.status = RunStatus::completed;
    try {
      notify([&](RunObserver& o) { o.started(shape_, k_, options_.iterations); });
      summary.status = iterate();
      finish(summary);
      if (refits_ && summary.status != RunStatus::interrupted) {
        const auto* chosen = selection_.chosen() ? &selection_.model() : nullptr;
        refit_into(summary, problem_, options_, {k_, seconds(), gradients_of_a_step_, refit_, chosen}, control_);
      }
    } catch (const NotFinite& error) {
      take_back(error, summary);
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

 private:
  template <class Tell>
  void notify(Tell tell) {
    for (auto* observer : control_.observers) tell(*observer);
  }

  /// An observer that cannot write the end makes it a failure, of which it is told in turn.
  void end(Summary& summary) {
    try {
      if (selection_.chosen()) notify([&](RunObserver& o) { o.selected(selection_.model()); });
      notify([&](RunObserver& o) { o.ended(summary); });
    } catch (const std::exception& error) {
      end_badly(error.what(), summary);
    } catch (...) {
      end_badly("an observer threw something that is not a std::exception", summary);
    }
  }

  /// Those that can be told are told; one that throws again is passed over.
  void end_badly(const std::string& what, Summary& summary) {
    summary.status = RunStatus::failed;
    summary.message = what;
    for (auto* observer : control_.observers) {
      try {
        observer->ended(summary);
      } catch (...) {
      }
    }
  }

  double seconds() const { return seconds_before_ + watch_.seconds(); }

  RunStatus iterate() {
    for (; k_ < options_.iterations;) {
      if (control_.stop_requested && *control_.stop_requested) return RunStatus::interrupted;
      if (options_.checkpoint_every > 0 && k_ % options_.checkpoint_every == 0 && k_ > first_k_) save();
      if (options_.evaluate_every > 0 && k_ % options_.evaluate_every == 0) evaluate();
      if (const auto status = step()) return *status;
    }
    return RunStatus::completed;
  }

  std::optional<RunStatus> step() {
    PhaseTimer timer;
    problem_.upper().take_over();
    problem_.lower().take_over();
    const auto distance = problem_.distance_to_solution_set();
    Snapshot method_before = method_.before_step();
    Selection selection_before = selection_;
    const auto upper_position = problem_.upper_batches().position(),
               lower_position = problem_.lower_batches().position();
    optimisers_.begin(k_);
    const gradients::LowerRowsBorrowed rows(problem_);
    const problem::SlicesOpen slices(problem_.upper());
    const StepContext context{problem_, timer, k_};
    const GradientCounts counted = gradients::gradient_counts();
    Measurement here = method_.measure(context);
    method_.move(here, context, optimisers_);
    before_ = Before{std::move(method_before), std::move(selection_before), upper_position, lower_position};
    StepRecord& record = here.record;
    record.k = k_;
    record.gradients = gradients_of_a_step_ = gradients::gradient_counts() - counted;
    record.distance = distance;
    ++k_;
    if (record.k % options_.record_every == 0) {
      const StepTiming timing{record.k, timer.seconds(), base::peak_resident_bytes()};
      notify([&](RunObserver& o) { o.stepped(record, timing); });
    }
    return stopping_.after(record, seconds());
  }

  void evaluate() {
    const bool known = first_evaluation_ && first_evaluation_->k == k_;
    const Evaluation evaluation = known ? *first_evaluation_ : Evaluation{k_, problem_.evaluate()};
    first_evaluation_.reset();
    optimisers_.evaluated(k_, selection_.offer(evaluation, problem_));
    if (!evaluation.metrics.empty()) notify([&](RunObserver& o) { o.evaluated(evaluation); });
  }

  /// Measures z at the end, as the next step would, and leaves everything as it was.
  void finish(Summary& summary) {
    Snapshot here;
    save_iterate(problem_, here);
    const Snapshot method_state = method_.save();
    PhaseTimer timer;
    StepRecord record;
    {
      const gradients::LowerRowsBorrowed rows(problem_);
      const problem::SlicesOpen slices(problem_.upper());
      record = method_.measure({problem_, timer, k_}).record;
    }
    restore_iterate(problem_, here);
    method_.restore(method_state);
    save();  // before the last evaluation: had the run gone on, there would have been none here
    evaluate();
    describe_point(record, summary);
  }

  /// Omega as it is now is where a fresh refit starts.
  void prepare_refit() {
    refit_ = refit_options(options_);
    if (options_.refit == RefitStart::fresh) refit_.start_here(problem_);
  }

  void describe_point(const StepRecord& record, Summary& summary) {
    summary.losses = record.losses;
    summary.lower_loss = record.lower_loss;
    summary.q = record.q;
    summary.kkt = record.kkt;
    summary.weights = record.weights;
    summary.nu = record.nu;
    summary.alpha = small_variables(problem_.upper());
    summary.omega = small_variables(problem_.lower());
    auto& out = summary.final_state;
    if (!problem_.objective_names().empty()) out["objectives"] = shape_.objectives;
    out["losses"] = record.losses;
    out["lower_loss"] = record.lower_loss;
    out["q"] = record.q;
    out["kkt"] = record.kkt;
    out["weights"] = record.weights;
    out["nu"] = record.nu;
    if (const auto distance = problem_.distance_to_solution_set()) out["distance"] = *distance;
    if (!summary.alpha.empty()) out["alpha"] = summary.alpha;
    if (!summary.omega.empty()) out["omega"] = summary.omega;
  }

  /// z_k gave values that are not finite: what is saved is z_{k-1}, the last point where all of them were.
  void take_back(const NotFinite& error, Summary& summary) {
    summary.status = RunStatus::non_finite;
    summary.message = fmt::format("iteration {}: {}", k_, error.what());
    if (before_) {
      optimisers_.roll_back();
      method_.undo_step(before_->method);
      selection_ = before_->selection;
      problem_.upper_batches().seek(before_->upper_position);
      problem_.lower_batches().seek(before_->lower_position);
      --k_;
    }
    save();
  }

  /// Whatever else stopped it (a loss that throws, a disk that is full): the summary says so, and the state is saved
  /// where that is still possible.
  void fail(const std::string& what, Summary& summary) {
    summary.status = RunStatus::failed;
    summary.message = fmt::format("iteration {}: {}", k_, what);
    try {
      save();
    } catch (...) {
      if (!summary.message.ends_with('.')) summary.message += '.';
      summary.message += " The state could not be saved; the last checkpoint stands.";
    }
  }

  void save() {
    Snapshot state;
    save_iterate(problem_, state);
    optimisers_.save(state);
    const Snapshot method = method_.save();
    state.values["method"] = method.values;
    for (const auto& [name, tensor] : method.tensors) state.tensors["method/" + name] = tensor;
    state.values["stopping"] = stopping_.save();
    selection_.save(state);
    const auto& [lower, upper, second_order] = gradients_of_a_step_;
    state.values["gradients_of_a_step"] = {lower, upper, second_order};
    state.values["method_name"] = method_.name();
    state.values["objectives"] = shape_.m;
    state.values["next_k"] = k_;
    state.values["seconds"] = seconds();
    notify([&](RunObserver& o) { o.saved(k_, state); });
  }

  void restore(const Snapshot& state) {
    refuse_foreign(state, method_.name(), shape_.m);
    try {
      restore_iterate(problem_, state);
      optimisers_.restore(state);
      Snapshot method;
      method.values = state.values.at("method");
      for (const auto& [name, tensor] : state.tensors) {
        if (name.starts_with("method/")) method.tensors[name.substr(7)] = tensor;
      }
      method_.restore(method);
      stopping_.restore(state.values.at("stopping"));
      selection_.restore(state, problem_);
      if (state.values.contains("gradients_of_a_step")) {
        const auto& counts = state.values["gradients_of_a_step"];
        gradients_of_a_step_ = {counts.at(0), counts.at(1), counts.at(2)};
      }
      k_ = first_k_ = state.values.at("next_k").get<std::int64_t>();
      if (k_ < 0) throw std::out_of_range(fmt::format("next_k = {}", k_));
      seconds_before_ = state.values.at("seconds").get<double>();
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      throw Error(ErrorKind::checkpoint, "the checkpoint",
                  fmt::format("does not hold the state of such a run ({})", error.what()),
                  "Resume with the version and the options that the run was started with");
    }
  }

  /// What else has to go back when a step is undone.
  struct Before {
    Snapshot method;
    Selection selection;
    std::int64_t upper_position, lower_position;
  };

  BilevelProblem& problem_;
  Method& method_;
  TrainingOptions options_;
  const RunControl& control_;
  TorchGenerator generator_;  // before the losses are first evaluated
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
  std::optional<Before> before_;
};

}  // namespace

Summary train(BilevelProblem& problem, Method& method, const TrainingOptions& options, const RunControl& control) {
  const InUse problem_in_use(&problem, "this problem"), method_in_use(&method, "this method");
  refuse_inference_mode();
  const torch::AutoGradMode with_gradients(true);
  refuse_null_observers(control);
  warn_once_of_slow_blas();
  return Loop(problem, method, options, control).run();
}

Summary train(BilevelProblem& problem, Method&& method, const TrainingOptions& options, const RunControl& control) {
  return train(problem, method, options, control);
}

}  // namespace moblo::training
