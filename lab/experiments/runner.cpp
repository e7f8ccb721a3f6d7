#include "lab/experiments/runner.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>

#include <fstream>

#include "lab/problems/registry.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/gradients/contract.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/event_observer.hpp"
#include "moblo/training/folder_observer.hpp"
#include "moblo/training/memory_model.hpp"
#include "moblo/training/state.hpp"

namespace moblo::lab::experiments {
namespace {

TrainingOptions training_options(const RunPlan& plan) {
  TrainingOptions options;
  TrainingOptions::table().read(plan.training, options, {});
  return options;
}

/// The peak of reading data is not the method's, and would hide it: what was freed goes back, and the kernel's count of
/// the peak starts anew (where it allows that). Returns the size of the process.
std::int64_t count_memory_from_here() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  return base::peak_resident_bytes();
}

/// Of a method that is made for the question alone.
std::optional<std::int64_t> added_bytes(const RunPlan& plan, BilevelProblem& problem,
                                        const gradients::ProblemShape& shape) {
  const auto method = make_method(plan.method, plan.method_options);
  method->start(problem, shape.m);
  return training::predict_added_bytes(problem, shape, *method, training_options(plan));
}

/// Shape and memory, as the manifest tells them.
void describe_problem(const RunPlan& plan, BilevelProblem& problem, Manifest& manifest) {
  const gradients::ProblemShape shape = gradients::check_contract(problem);
  const auto added = added_bytes(plan, problem, shape);
  const std::int64_t before = count_memory_from_here();
  manifest.runtime["bytes_before_first_step"] = before;
  manifest.problem = training::describe_shape(shape, problem);
  if (added) manifest.problem["predicted_bytes"] = before + *added;
}

std::unique_ptr<BilevelProblem> problem_of(const RunPlan& plan) {
  set_threads(plan.threads);
  torch::manual_seed(plan.seed);
  try {
    return problems::make_problem(plan.problem, plan.problem_options, plan.seed);
  } catch (const c10::Error& error) {
    throw Error(ErrorKind::problem, fmt::format("problem {}", plan.problem),
                fmt::format("cannot be set up ({})", error.what_without_backtrace()),
                "Check its options; ask for less where memory is short");
  }
}

Summary run_into(records::RunFolder& folder, const RunPlan& plan, BilevelProblem& problem, const Snapshot* state,
                 const RunnerControl& control) {
  training::FolderObserver writer(folder, problem, plan.fingerprint());
  training::EventObserver events(folder.path());
  const auto options = training_options(plan);
  RunControl run;
  run.observers = {&writer};
  if (options.tensorboard) run.observers.push_back(&events);
  run.observers.insert(run.observers.end(), control.observers.begin(), control.observers.end());
  run.stop_requested = control.stop_requested;
  run.resume = state;
  const auto method = make_method(plan.method, plan.method_options);
  return train(problem, *method, options, run);
}

void refuse_unless_run(const std::filesystem::path& folder) {
  if (records::is_run_folder(folder)) return;
  throw Error(ErrorKind::usage, folder.string(), "is no run folder", "Name a folder that has a manifest.json");
}

/// A problem of somebody's own program cannot be built here.
Json config_of(const Manifest& manifest, const std::filesystem::path& folder, const char* instead) {
  if (manifest.config.is_object() && manifest.config.contains("problem")) return manifest.config;
  throw Error(ErrorKind::usage, folder.string(),
              "was written by train_in_folder in a program of its own, whose problem this program does not know",
              instead);
}

void refuse_foreign(const records::TensorFile& checkpoint, const RunPlan& plan, const std::filesystem::path& folder) {
  const auto& state = checkpoint.state;
  if (state.is_object() && state.contains("fingerprint") && is_of(plan, state["fingerprint"])) return;
  throw Error(ErrorKind::checkpoint, fmt::format("the checkpoint in {}", folder.string()),
              "belongs to another run: its problem, method, options or seed differ from the manifest's",
              "Put back the files of this run, or start anew");
}

/// The same options on other files would be another run that looks like this one.
void refuse_other_data(const Manifest& manifest, const BilevelProblem& problem, const std::filesystem::path& folder) {
  if (manifest.datasets == problem.provenance()) return;
  throw Error(ErrorKind::checkpoint, fmt::format("the data of {}", folder.string()),
              "are not those that the run was started with: the checksums in its manifest differ",
              "Put back the data files, or start anew");
}

/// What a run that was killed before its first checkpoint goes on from.
records::LoadedCheckpoint beginning(const std::filesystem::path& folder) {
  return {0, {}, fmt::format("{} holds no checkpoint yet; starting from iteration 0.", folder.string())};
}

void refuse_end_before(std::int64_t next_k, const RunPlan& plan, const std::filesystem::path& folder) {
  const auto iterations = training_options(plan).iterations;
  if (iterations >= next_k) return;
  throw Error(ErrorKind::usage, fmt::format("iterations = {} with --resume {}", iterations, folder.string()),
              fmt::format("the run has done {} already", next_k), "Give a larger number, or start a new run");
}

}  // namespace

void set_threads(std::int64_t threads) {
  const int count = threads > 0 ? static_cast<int>(threads) : base::probe_cpu().cores;
  at::set_num_threads(count);
  if (base::probe_blas().openmp) return;
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
}

Json describe_process() {
  Json runtime = base::describe_runtime();
  runtime["torch"] = TORCH_VERSION;
  runtime["torch_threads"] = at::get_num_threads();
  runtime["allocator"] = base::tune_allocator();
  return runtime;
}

Summary execute(const RunPlan& plan, const std::string& title, const std::filesystem::path& folder,
                const RunnerControl& control) {
  const auto problem = problem_of(plan);
  Manifest manifest;
  manifest.created = base::utc_now();
  manifest.title = title.empty() ? plan.name : title;
  manifest.config = plan.config();
  manifest.runtime = describe_process();
  describe_problem(plan, *problem, manifest);
  manifest.datasets = problem->provenance();
  auto run_folder = records::RunFolder::create(folder, manifest);
  return run_into(run_folder, plan, *problem, nullptr, control);
}

Resumed resume(const std::filesystem::path& folder, const std::vector<std::string>& amendments,
               const RunnerControl& control) {
  refuse_unless_run(folder);
  Manifest manifest = records::read_manifest(folder);
  const RunPlan plan = plan_resume(
      config_of(
          manifest, folder,
          "Run that program again: train_in_folder goes on from the last checkpoint; ask for more iterations there"),
      amendments);
  const bool killed_early = !records::has_checkpoint(folder) && !records::read_summary(folder);
  const records::LoadedCheckpoint checkpoint = killed_early ? beginning(folder) : records::load_checkpoint(folder);
  if (!killed_early) refuse_foreign(checkpoint.content, plan, folder);
  refuse_end_before(checkpoint.next_k, plan, folder);
  const auto problem = problem_of(plan);
  refuse_other_data(manifest, *problem, folder);
  const Snapshot state = training::to_snapshot(checkpoint.content);
  manifest.config = plan.config();
  for (const auto& amendment : amendments) {
    manifest.amendments.push_back(fmt::format("before iteration {}: {}", checkpoint.next_k, amendment));
  }
  count_memory_from_here();
  auto run_folder = records::RunFolder::reopen(folder, manifest, checkpoint.next_k);
  return {run_into(run_folder, plan, *problem, killed_early ? nullptr : &state, control), checkpoint.warning};
}

std::optional<Refit> refit_run(const std::filesystem::path& folder, std::int64_t steps, bool from_fresh,
                               const std::atomic<bool>* stop) {
  refuse_unless_run(folder);
  const RunPlan plan = plan_resume(
      config_of(records::read_manifest(folder), folder,
                "Call moblo::refit(problem, ...) in that program, after train_in_folder has brought the run back"),
      {});
  const auto checkpoint = records::load_checkpoint(folder);
  refuse_foreign(checkpoint.content, plan, folder);
  const auto problem = problem_of(plan);
  const auto initial = problem->lower().values().detach().clone();
  const auto best = folder / "model_best.safetensors";
  training::load_model(*problem,
                       training::to_snapshot(std::filesystem::exists(best) ? records::read_tensor_file(best, false)
                                                                           : checkpoint.content));
  const auto summary = records::read_summary(folder);
  const TrainingOptions trained = training_options(plan);
  RefitOptions how = training::refit_options(trained);
  how.steps = steps > 0                   ? steps
              : trained.refit_steps > 0   ? trained.refit_steps
              : summary && summary->refit ? summary->refit->steps
                                          : how.steps;
  if (from_fresh) how.start = initial;
  return refit(*problem, how, stop);
}

}  // namespace moblo::lab::experiments
