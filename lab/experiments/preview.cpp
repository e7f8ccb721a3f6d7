#include "lab/experiments/preview.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/experiments/preparation.hpp"
#include "lab/problems/registry.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/records/existing_run.hpp"
#include "moblo/training/run_refit.hpp"
#include "moblo/training/state.hpp"
#include "moblo/training/training.hpp"

namespace moblo::lab::experiments {
namespace {

constexpr std::int64_t most_steps = 20;
constexpr double most_seconds = 3;

/// Times the steps of a throw-away run, and ends it after some seconds.
class StepClock : public RunObserver {
 public:
  explicit StepClock(const std::atomic<bool>& interrupted) : interrupted_(interrupted) {}

  void started(const gradients::ProblemShape&, std::int64_t, std::int64_t) override { since_ = {}, whole_ = {}; }
  void stepped(const StepRecord& record, const StepTiming&) override {
    steps_.push_back(since_.seconds());
    gradients_ = record.gradients;
    since_ = {};
    if (whole_.seconds() > most_seconds || interrupted_) enough_ = true;
  }
  void saved(std::int64_t, const Snapshot&) override { since_ = {}; }  // the last evaluation comes next
  void evaluated(const Evaluation&) override {
    evaluation_seconds_ = since_.seconds();
    since_ = {};
  }

  const std::atomic<bool>& enough() const { return enough_; }
  std::int64_t steps() const { return static_cast<std::int64_t>(steps_.size()); }
  double evaluation_seconds() const { return evaluation_seconds_; }
  const GradientCounts& gradients() const { return gradients_; }

  /// The median; without the first, which allocates, where there are others.
  double step_seconds() const {
    std::vector<double> sorted(steps_.begin() + (steps_.size() > 1 ? 1 : 0), steps_.end());
    if (sorted.empty()) return 0;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }

 private:
  const std::atomic<bool>& interrupted_;
  std::atomic<bool> enough_ = false;
  base::Stopwatch since_, whole_;
  std::vector<double> steps_;
  double evaluation_seconds_ = 0;
  GradientCounts gradients_;  // of the last step
};

void add_differences(const Json& given, const Json& usual, const std::string& key, Json& to) {
  if (!given.is_object() || !usual.is_object()) {
    if (given != usual) to[key] = given;
    return;
  }
  for (const auto& [name, value] : given.items()) {
    add_differences(value, usual.contains(name) ? usual[name] : Json(), key.empty() ? name : key + "." + name, to);
  }
}

Json options_that_differ(const RunPlan& plan) {
  Json out = Json::object();
  add_differences(plan.problem_options, problems::find_problem(plan.problem, "").resolve(Json::object(), {}),
                  plan.problem, out);
  add_differences(plan.method_options, find_method(plan.method, "").resolve(Json::object(), {}), plan.method, out);
  add_differences(plan.training, TrainingOptions::table().write({}), "", out);
  out.erase("iterations");  // told by itself
  return out;
}

std::int64_t evaluations(const Preview& of, const TrainingOptions& options) {
  std::int64_t count = 1;  // at the end
  const auto every = options.evaluate_every;
  if (every > 0) count += (of.iterations + every - 1) / every - (of.first_iteration + every - 1) / every;
  return count;
}

/// One of its steps is one lower gradient.
double refit_seconds(const Preview& of, const TrainingOptions& options, const GradientCounts& of_a_step) {
  const auto cost = training::cost_in_gradients(of_a_step);
  if (cost == 0) return 0;
  const auto steps = training::refit_steps(options, of.iterations, of_a_step);
  return of.step_seconds * static_cast<double>(steps) / static_cast<double>(cost);
}

void predict_seconds(Preview& to, const TrainingOptions& options, const MethodTraits& method,
                     const GradientCounts& of_a_step) {
  const auto left = static_cast<double>(to.iterations - to.first_iteration);
  if (to.measured_steps == 0 && left > 0) return;
  const double refit = training::refits(options, method) ? refit_seconds(to, options, of_a_step) : 0;
  const double seconds = to.setup_seconds + left * to.step_seconds + refit +
                         static_cast<double>(evaluations(to, options)) * to.evaluation_seconds;
  to.predicted_seconds =
      options.stop.seconds > 0 ? std::min(seconds, to.setup_seconds + options.stop.seconds) : seconds;
}

/// A few steps of the run, which nothing is kept of.
void measure(Preview& to, BilevelProblem& problem, const Snapshot* state, const std::atomic<bool>& stop) {
  const auto start = state ? std::nullopt : warm_start_of(to.plan, to.folder);
  TrainingOptions options = training_options(to.plan);
  const TrainingOptions whole = options;
  options.iterations = std::min(options.iterations, to.first_iteration + most_steps);
  options.record_every = 1;
  options.checkpoint_every = 0;
  options.refit = RefitStart::off;
  options.stop = {};
  StepClock clock(stop);
  const auto method = make_method(to.plan.method, to.plan.method_options);
  const Summary summary =
      train(problem, *method, options, {{&clock}, &clock.enough(), state, nullptr, start ? &*start : nullptr});
  to.warnings = summary.warnings;
  if (!succeeded(summary.status) && summary.status != RunStatus::interrupted) {
    to.warnings.push_back(fmt::format("the throw-away run ended early: {}", summary.message));
  }
  to.measured_steps = clock.steps();
  to.step_seconds = clock.step_seconds();
  to.evaluation_seconds = clock.evaluation_seconds();
  predict_seconds(to, whole, method->traits(), clock.gradients());
}

Preview begin(const RunPlan& plan, const std::filesystem::path& folder) {
  Preview out;
  out.plan = plan;
  out.folder = folder;
  out.iterations = training_options(plan).iterations;
  out.options = options_that_differ(plan);
  return out;
}

void take_size(const SizedRun& size, Preview& to) {
  to.m = size.shape.m;
  to.n = size.shape.n;
  to.p = size.shape.p;
  to.predicted_bytes = size.predicted_bytes;
}

}  // namespace

Preview preview(const RunPlan& plan, const std::filesystem::path& folder, const std::atomic<bool>& stop) {
  Preview out = begin(plan, folder);
  const base::Stopwatch watch;
  const auto problem = problem_of(plan);
  take_size(size_of(plan, *problem), out);
  records::refuse_unusable_place(folder);
  out.setup_seconds = watch.seconds();
  measure(out, *problem, nullptr, stop);
  return out;
}

Preview preview_resume(const std::filesystem::path& folder, const std::vector<std::string>& amendments,
                       const std::atomic<bool>& stop) {
  refuse_unless_run(folder);
  const Continuation from = continuation_of(folder, amendments, records::Damage::refuse);
  Preview out = begin(from.plan, folder);
  out.plan.name = folder.filename().string();
  out.resumed = true;
  out.first_iteration = from.checkpoint.next_k;
  const base::Stopwatch watch;
  const auto problem = problem_of(from.plan);
  refuse_other_data(from.manifest, *problem, folder);
  take_size(size_of(from.plan, *problem), out);
  out.setup_seconds = watch.seconds();
  const Snapshot state = training::to_snapshot(from.checkpoint.content);
  measure(out, *problem, from.killed_early ? nullptr : &state, stop);
  if (!from.checkpoint.warning.empty()) out.warnings.push_back(from.checkpoint.warning);
  return out;
}

Preview preview_like(const Preview& measured, const RunPlan& plan, const std::filesystem::path& folder) {
  records::refuse_unusable_place(folder);
  Preview out = measured;
  out.plan = plan;
  out.folder = folder;
  out.options = options_that_differ(plan);
  out.warnings.clear();
  return out;
}

Json to_json(const Preview& preview) {
  Json out;
  out["name"] = preview.plan.name;
  out["run"] = preview.folder.string();
  out["resumed"] = preview.resumed;
  out["problem"] = preview.plan.problem;
  out["method"] = preview.plan.method;
  out["seed"] = preview.plan.seed;
  out["threads"] = preview.plan.threads;
  out["m"] = preview.m;
  out["n"] = preview.n;
  out["p"] = preview.p;
  out["iterations"] = preview.iterations;
  out["first_iteration"] = preview.first_iteration;
  out["options"] = preview.options;
  out["predicted_bytes"] = preview.predicted_bytes ? Json(*preview.predicted_bytes) : Json();
  out["predicted_seconds"] = preview.predicted_seconds ? Json(*preview.predicted_seconds) : Json();
  out["measured"] = {{"steps", preview.measured_steps},
                     {"step_seconds", preview.step_seconds},
                     {"evaluation_seconds", preview.evaluation_seconds},
                     {"setup_seconds", preview.setup_seconds}};
  if (!preview.warnings.empty()) out["warnings"] = preview.warnings;
  return out;
}

}  // namespace moblo::lab::experiments
