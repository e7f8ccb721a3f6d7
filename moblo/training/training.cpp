#include "moblo/training/training.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/methods/stand_still.hpp"
#include "moblo/training/optimiser.hpp"
#include "moblo/training/selection.hpp"
#include "moblo/training/state.hpp"
#include "moblo/training/stopping.hpp"

namespace moblo {
namespace {

constexpr std::int64_t small_problem = 32;  // up to here a summary shows the variables themselves

void describe_variables(ParameterPack& pack, const std::string& name, Json& out) {
  if (pack.size() > small_problem) return;
  Json values = Json::array();
  const auto add = [&](const torch::Tensor& tensor) {
    const auto flat = tensor.detach().to(torch::kFloat64).contiguous().view({-1});
    for (std::int64_t i = 0; i < flat.numel(); ++i) values.push_back(flat[i].item().toDouble());
  };
  add(pack.values());
  for (const auto& table : pack.tables()) add(table.values);
  out[name] = values;
}

/// A library cannot start its process anew with another kernel, as the program does; it can say so.
void warn_once_of_slow_blas() {
  static const bool warned = [] {
    const std::string advice = blas_advice(probe_cpu(), probe_blas(), std::getenv("OPENBLAS_CORETYPE") != nullptr);
    if (!advice.empty()) fmt::print(stderr, "moblo: warning: {}\n", advice);
    return true;
  }();
  (void)warned;
}

class Loop {
 public:
  Loop(BilevelProblem& problem, Method& method, const TrainingOptions& options, const RunControl& control)
      : problem_(problem),
        method_(method),
        options_(options),
        control_(control),
        shape_(check_contract(problem)),
        optimisers_(options.optimiser, problem, options.iterations),
        stopping_(options.stop),
        selection_(options.select) {
    method_.start(problem_, shape_.m);
    if (control_.resume) restore(*control_.resume);
    if (selection_.wanted()) {
      first_evaluation_ = Evaluation{k_, problem_.evaluate()};
      selection_.refuse_unknown_metric(*first_evaluation_);
    }
  }

  Summary run() {
    notify([&](RunObserver& o) { o.started(shape_, k_, options_.iterations); });
    Summary summary;
    summary.status = RunStatus::completed;
    try {
      summary.status = iterate();
      finish(summary);
    } catch (const NotFinite& error) {
      take_back(error, summary);
    } catch (const c10::Error& error) {
      fail(error.what_without_backtrace(), summary);
    } catch (const std::exception& error) {
      fail(error.what(), summary);
    }
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
      summary.status = RunStatus::failed;
      summary.message = error.what();
      notify([&](RunObserver& o) { o.ended(summary); });
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
    const auto distance = problem_.distance_to_solution_set();
    Snapshot method_before = method_.before_step();
    Selection selection_before = selection_;
    const auto upper_position = problem_.upper_batches().position(),
               lower_position = problem_.lower_batches().position();
    optimisers_.begin(k_);
    StepRecord record = method_.step({problem_, optimisers_, timer, k_});
    before_ = Before{std::move(method_before), std::move(selection_before), upper_position, lower_position};
    record.distance = distance;
    ++k_;
    if (record.k % options_.record_every == 0) {
      const StepTiming timing{record.k, timer.seconds(), peak_resident_bytes()};
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

  /// Measures z at the end, as the next step would see it, and leaves no trace of having looked.
  void finish(Summary& summary) {
    Snapshot here;
    save_iterate(problem_, here);
    const Snapshot method_state = method_.save();
    StandStill updater;
    PhaseTimer timer;
    const StepRecord record = method_.step({problem_, updater, timer, k_});
    restore_iterate(problem_, here);
    method_.restore(method_state);
    save();  // before the last evaluation: had the run gone on, there would have been none here
    evaluate();
    summary.final_state = describe_point(record);
  }

  Json describe_point(const StepRecord& record) {
    Json out;
    out["losses"] = record.losses;
    out["lower_loss"] = record.lower_loss;
    out["q"] = record.q;
    out["kkt"] = record.kkt;
    out["weights"] = record.weights;
    out["nu"] = record.nu;
    if (const auto distance = problem_.distance_to_solution_set()) out["distance"] = *distance;
    describe_variables(problem_.upper(), "alpha", out);
    describe_variables(problem_.lower(), "omega", out);
    return out;
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
    } catch (const std::exception&) {
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
    state.values["next_k"] = k_;
    state.values["seconds"] = seconds();
    notify([&](RunObserver& o) { o.saved(k_, state); });
  }

  void restore(const Snapshot& state) {
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
      selection_.restore(state);
      k_ = first_k_ = state.values.at("next_k").get<std::int64_t>();
      seconds_before_ = state.values.at("seconds").get<double>();
    } catch (const Json::exception& error) {
      throw Error(ErrorKind::checkpoint, "the checkpoint", fmt::format("lacks a part of the state ({})", error.what()),
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
  ProblemShape shape_;
  Optimisers optimisers_;
  Stopping stopping_;
  Selection selection_;
  std::optional<Evaluation> first_evaluation_;  // taken early, to check what `select` names
  Stopwatch watch_;
  double seconds_before_ = 0;
  std::int64_t k_ = 0, first_k_ = 0;
  std::optional<Before> before_;
};

}  // namespace

Summary train(BilevelProblem& problem, Method& method, const TrainingOptions& options, const RunControl& control) {
  warn_once_of_slow_blas();
  return Loop(problem, method, options, control).run();
}

}  // namespace moblo
