#include "lab/experiments/runner.hpp"

#include <fmt/format.h>

#include "lab/experiments/preparation.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/event_observer.hpp"
#include "moblo/training/folder_observer.hpp"
#include "moblo/training/state.hpp"

namespace moblo::lab::experiments {
namespace {

Summary run_into(records::RunFolder& folder, const RunPlan& plan, BilevelProblem& problem, const Snapshot* state,
                 const WarmStart* start, const RunnerControl& control) {
  training::FolderObserver writer(folder, problem, plan.fingerprint());
  training::EventObserver events(folder.path());
  const auto options = training_options(plan);
  RunControl run;
  run.observers = {&writer};
  if (options.tensorboard) run.observers.push_back(&events);
  run.observers.insert(run.observers.end(), control.observers.begin(), control.observers.end());
  run.stop_requested = control.stop_requested;
  run.resume = state;
  run.warm_start = start;
  const auto method = make_method(plan.method, plan.method_options);
  return train(problem, *method, options, run);
}

/// The run that it began at may have gone on since.
void refuse_other_start(const Manifest& manifest, const WarmStart& start, const std::filesystem::path& folder) {
  if (manifest.warm_start == start.origin) return;
  throw Error(ErrorKind::checkpoint, fmt::format("the warm start of {}", folder.string()),
              "is not the one that the run began with: the run it is the end of has changed",
              "Put back that run, or start a new one");
}

}  // namespace

Json describe_process() {
  Json runtime = base::describe_runtime();
  runtime["torch"] = TORCH_VERSION;
  runtime["torch_threads"] = at::get_num_threads();
  runtime["allocator"] = base::tune_allocator();
  return runtime;
}

Summary execute(const RunPlan& plan, const std::string& title, const std::filesystem::path& folder,
                const RunnerControl& control) {
  auto lock = records::RunFolder::lock_new(folder);
  const auto start = warm_start_of(plan, folder);
  const auto problem = problem_of(plan);
  Manifest manifest;
  manifest.created = base::utc_now();
  manifest.title = title.empty() ? plan.name : title;
  manifest.config = plan.config();
  manifest.runtime = describe_process();
  const SizedRun size = size_of(plan, *problem);
  manifest.runtime["bytes_before_first_step"] = size.bytes_before;
  manifest.problem = training::describe_shape(size.shape, *problem);
  if (size.predicted_bytes) manifest.problem["predicted_bytes"] = *size.predicted_bytes;
  manifest.datasets = problem->provenance();
  if (start) manifest.warm_start = start->origin;
  auto run_folder = records::RunFolder::create(std::move(lock), manifest);
  try {
    return run_into(run_folder, plan, *problem, nullptr, start ? &*start : nullptr, control);
  } catch (...) {  // refused before the first iteration: what goes wrong later ends the run with a status
    run_folder.abandon();
    throw;
  }
}

Resumed resume(const std::filesystem::path& folder, const std::vector<std::string>& amendments,
               const RunnerControl& control, records::Damage damage) {
  refuse_unless_run(folder);
  auto lock = records::RunFolder::lock_existing(folder);
  const Continuation from = continuation_of(folder, amendments, damage);
  const RunPlan& plan = from.plan;
  const records::LoadedCheckpoint& checkpoint = from.checkpoint;
  Manifest manifest = from.manifest;
  const auto problem = problem_of(plan);
  refuse_other_data(manifest, *problem, folder);
  const Snapshot state = training::to_snapshot(checkpoint.content);
  manifest.config = plan.config();
  for (const auto& amendment : amendments) {
    manifest.amendments.push_back(fmt::format("before iteration {}: {}", checkpoint.next_k, amendment));
  }
  if (damage == records::Damage::accept && !checkpoint.warning.empty()) {
    manifest.amendments.push_back(
        fmt::format("before iteration {}: accepted damage: {}", checkpoint.next_k, checkpoint.warning));
  }
  const auto start = from.killed_early ? warm_start_of(plan, folder) : std::nullopt;
  if (start) refuse_other_start(manifest, *start, folder);
  count_memory_from_here();
  auto run_folder = records::RunFolder::reopen(std::move(lock), manifest, checkpoint.next_k);
  const auto summary =
      run_into(run_folder, plan, *problem, from.killed_early ? nullptr : &state, start ? &*start : nullptr, control);
  return {summary, checkpoint.warning};
}

Resumed execute_or_resume(const RunPlan& plan, const std::string& title, const std::filesystem::path& folder,
                          const std::vector<std::string>& amendments, const RunnerControl& control,
                          records::Damage damage) {
  if (records::is_run_folder(folder)) return resume(folder, amendments, control, damage);
  return {execute(plan, title, folder, control), ""};
}

std::optional<Refit> refit_run(const std::filesystem::path& folder, std::int64_t steps, bool from_fresh,
                               const std::atomic<bool>* stop) {
  refuse_unless_run(folder);
  const RunPlan plan = plan_resume(
      config_of(records::read_manifest(folder), folder,
                "Call moblo::refit(problem, ...) in that program, after train_in_folder has brought the run back"),
      {});
  const auto checkpoint =
      records::load_checkpoint(folder, records::Damage::accept,  // its records are not read
                               [&](const records::TensorFile& content) { refuse_foreign(content, plan, folder); });
  const auto problem = problem_of(plan);
  const TrainingOptions trained = training_options(plan);
  RefitOptions how = training::refit_options(trained);
  if (from_fresh) how.start_here(*problem);
  const auto best = folder / "model_best.safetensors";
  training::load_model(*problem,
                       training::to_snapshot(std::filesystem::exists(best) ? records::read_tensor_file(best, false)
                                                                           : checkpoint.content));
  const auto summary = records::read_summary(folder);
  how.steps = steps > 0                   ? steps
              : trained.refit_steps > 0   ? trained.refit_steps
              : summary && summary->refit ? summary->refit->steps
                                          : how.steps;
  return refit(*problem, how, stop);
}

}  // namespace moblo::lab::experiments
