#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiments/plan.hpp"
#include "moblo/gradients/contract.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/records/run_folder.hpp"
#include "moblo/training/training.hpp"

/// What a run, a resumed run, a refit and a dry run do before the first iteration, in the same order and the same
/// words.
namespace moblo::lab::experiments {

TrainingOptions training_options(const RunPlan& plan);

/// The problem of a plan, with the plan's threads and seed set.
std::unique_ptr<BilevelProblem> problem_of(const RunPlan& plan);

/// The end of the run that a plan begins at; empty where it begins at the problem's own start. `folder` is the run's.
std::optional<WarmStart> warm_start_of(const RunPlan& plan, const std::filesystem::path& folder);

/// The peak of reading data is not the method's, and would hide it: what was freed goes back, and the kernel's count of
/// the peak starts again (where it allows that). Returns the size of the process.
std::int64_t count_memory_from_here();

struct SizedRun {
  gradients::ProblemShape shape;
  std::int64_t bytes_before = 0;                ///< the process with its data and network
  std::optional<std::int64_t> predicted_bytes;  ///< at its peak; docs/cost_model.md
};

/// Checks the contract of the problem, and counts memory from there on.
SizedRun size_of(const RunPlan& plan, BilevelProblem& problem);

/// What a run folder goes on from.
struct Continuation {
  Manifest manifest;
  RunPlan plan;
  records::LoadedCheckpoint checkpoint;
  bool killed_early = false;  ///< before its first checkpoint: it starts from iteration 0
};

/// `amendments` as in plan_resume. Throws where the folder holds no run, another run's state, or is past its end.
Continuation continuation_of(const std::filesystem::path& folder, const std::vector<std::string>& amendments,
                             records::Damage damage);

void refuse_unless_run(const std::filesystem::path& folder);
/// A problem of somebody's own program cannot be built here; `instead` says what to do.
Json config_of(const Manifest& manifest, const std::filesystem::path& folder, const char* instead);
void refuse_foreign(const records::TensorFile& checkpoint, const RunPlan& plan, const std::filesystem::path& folder);
/// The same options on other files would be another run that looks like this one.
void refuse_other_data(const Manifest& manifest, const BilevelProblem& problem, const std::filesystem::path& folder);

}  // namespace moblo::lab::experiments
