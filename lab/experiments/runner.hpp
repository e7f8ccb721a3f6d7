#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/experiments/plan.hpp"
#include "moblo/records/records.hpp"
#include "moblo/records/run_folder.hpp"
#include "moblo/training/refit.hpp"
#include "moblo/training/training.hpp"

namespace moblo::lab::experiments {

struct RunnerControl {
  std::vector<RunObserver*> observers;
  const std::atomic<bool>* stop_requested = nullptr;
};

/// Sets torch's threads; 0 = all cores. Two thread pools fight, so a BLAS with a pool of its own gets one thread.
void set_threads(std::int64_t threads);

/// Machine, libraries, kernel, threads and allocator of this process, as the manifest has them.
Json describe_process();

/// Runs a plan into a new run folder.
Summary execute(const RunPlan& plan, const std::string& title, const std::filesystem::path& folder,
                const RunnerControl& control);

struct Resumed {
  Summary summary;
  std::string warning;  ///< where a damaged checkpoint was passed over
};

/// Goes on from the newest whole checkpoint of a run folder. `amendments` as in plan_resume.
Resumed resume(const std::filesystem::path& folder, const std::vector<std::string>& amendments,
               const RunnerControl& control, records::Damage damage = records::Damage::refuse);

/// Goes on with a plan's run where the folder holds one, and starts it otherwise.
Resumed execute_or_resume(const RunPlan& plan, const std::string& title, const std::filesystem::path& folder,
                          const std::vector<std::string>& amendments, const RunnerControl& control,
                          records::Damage damage = records::Damage::refuse);

/// Solves the lower level of a run again at its alpha, the selected model's where one was selected. `steps` = 0: as
/// many as the run's own refit made, or a thousand. Nothing in the folder changes. Empty where it was interrupted.
std::optional<Refit> refit_run(const std::filesystem::path& folder, std::int64_t steps, bool from_fresh,
                               const std::atomic<bool>* stop);

}  // namespace moblo::lab::experiments
