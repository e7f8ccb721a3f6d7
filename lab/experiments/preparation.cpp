#include "lab/experiments/preparation.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>

#include <fstream>

#include "lab/experiments/runner.hpp"
#include "lab/problems/registry.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/memory_model.hpp"
#include "moblo/training/run.hpp"

namespace moblo::lab::experiments {
namespace {

/// Of a method that is made for the question alone.
std::optional<std::int64_t> added_bytes(const RunPlan& plan, BilevelProblem& problem,
                                        const gradients::ProblemShape& shape) {
  const auto method = make_method(plan.method, plan.method_options);
  method->start(problem, shape.m);
  return training::predict_added_bytes(problem, shape, *method, training_options(plan));
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

TrainingOptions training_options(const RunPlan& plan) {
  TrainingOptions options;
  TrainingOptions::table().read(plan.training, options, {});
  return options;
}

void set_threads(std::int64_t threads) {
  const int count = threads > 0 ? static_cast<int>(threads) : base::probe_cpu().cores;
  at::set_num_threads(count);
  if (base::probe_blas().openmp) return;
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
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

std::optional<WarmStart> warm_start_of(const RunPlan& plan, const std::filesystem::path& folder) {
  if (plan.warm_start.empty()) return std::nullopt;
  const auto beside = folder.lexically_normal().parent_path();
  return end_of_run(beside / plan.warm_start, plan.warm_start);  // an absolute path stays as it is
}

std::int64_t count_memory_from_here() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  return base::peak_resident_bytes();
}

SizedRun size_of(const RunPlan& plan, BilevelProblem& problem) {
  SizedRun size;
  size.shape = gradients::check_contract(problem);
  const auto added = added_bytes(plan, problem, size.shape);
  size.bytes_before = count_memory_from_here();
  if (added) size.predicted_bytes = size.bytes_before + *added;
  return size;
}

void refuse_unless_run(const std::filesystem::path& folder) {
  if (records::is_run_folder(folder)) return;
  throw Error(ErrorKind::usage, folder.string(), "is not a run folder: it has no manifest.json",
              "Name one that has; a run that was stopped before it began is started by its own command");
}

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
              "Put back the files of this run, or start a new one");
}

void refuse_other_data(const Manifest& manifest, const BilevelProblem& problem, const std::filesystem::path& folder) {
  if (manifest.datasets == problem.provenance()) return;
  throw Error(ErrorKind::checkpoint, fmt::format("the data of {}", folder.string()),
              "are not those that the run was started with: the checksums in its manifest differ",
              "Put back the data files, or start a new run");
}

Continuation continuation_of(const std::filesystem::path& folder, const std::vector<std::string>& amendments,
                             records::Damage damage) {
  Continuation from;
  from.manifest = records::read_manifest(folder);
  const auto config = config_of(
      from.manifest, folder,
      "Run that program again: train_in_folder goes on from the last checkpoint; ask for more iterations there");
  from.plan = plan_resume(config, amendments);
  from.killed_early = !records::has_checkpoint(folder) && !records::read_summary(folder);
  const auto of_another = [&](const records::TensorFile& content) { refuse_foreign(content, from.plan, folder); };
  from.checkpoint = from.killed_early ? beginning(folder) : records::load_checkpoint(folder, damage, of_another);
  refuse_end_before(from.checkpoint.next_k, from.plan, folder);
  return from;
}

}  // namespace moblo::lab::experiments
