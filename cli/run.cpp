#include <fmt/format.h>

#include <filesystem>

#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/dry_run.hpp"
#include "cli/interrupt.hpp"
#include "cli/outcome.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "lab/experiments/runner.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/existing_run.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

/// runs/NAME-METHOD, or the next number that is free: a second run without --out must not stop at the first one's.
fs::path free_folder(const lab::experiments::ExperimentPlan& plan) {
  const auto stem = fs::path("runs") / fmt::format("{}-{}", plan.record.name, plan.runs.front().method);
  fs::path folder = stem;
  std::error_code ignored;
  for (int i = 2; fs::exists(folder, ignored); ++i) folder = fmt::format("{}-{}", stem.string(), i);
  return folder;
}

std::string resume_command(const fs::path& folder) {
  return fmt::format("moblo run --resume {}", shell_quoted(folder.string()));
}

void refuse_existing_experiment(const fs::path& folder) {
  lab::report::refuse_run_folder(folder);
  if (!lab::report::read_experiment(folder)) return;
  throw Error(ErrorKind::config, folder.string(), "holds an experiment of several runs already",
              fmt::format("Use --resume {} to go on with it, or choose another --out", folder.string()));
}

records::Damage damage_of(const RunArguments& arguments) {
  return arguments.accept_damage ? records::Damage::accept : records::Damage::refuse;
}

/// The summary of a run that has nothing left to do.
std::optional<Summary> finished(const fs::path& folder, const RunArguments& arguments) {
  if (!arguments.sets.empty() || !records::is_run_folder(folder)) return std::nullopt;
  auto summary = records::read_summary(folder);
  return summary && succeeded(summary->status) ? summary : std::nullopt;
}

Outcome run_one(const lab::experiments::RunPlan& plan, const std::string& title, const fs::path& folder,
                const RunArguments& arguments, const std::atomic<bool>& stop) {
  Progress progress(plan.name, arguments.quiet);
  const auto resuming = arguments.resume.empty() ? std::vector<std::string>() : arguments.sets;
  const auto [summary, warning] =
      lab::experiments::execute_or_resume(plan, title, folder, resuming, {{&progress}, &stop}, damage_of(arguments));
  if (!warning.empty()) say(fmt::format("moblo: warning: {}\n", warning));
  return {plan.name, folder, summary};
}

/// Runs of one experiment, one after the other; what was finished before is not run again.
int run_set(const std::vector<lab::experiments::RunPlan>& plans, const lab::report::ExperimentRecord& record,
            const fs::path& folder, const RunArguments& arguments) {
  const auto& stop = stop_on_interrupt();
  std::vector<Outcome> outcomes;
  for (const auto& plan : plans) {
    const auto run_folder = folder / plan.folder;
    if (const auto before = finished(run_folder, arguments)) {
      outcomes.push_back({plan.name, run_folder, *before});
      continue;
    }
    if (stop && !outcomes.empty()) break;
    outcomes.push_back(run_one(plan, record.title, run_folder, arguments, stop));
  }
  return conclude({outcomes, folder, plans.size() - outcomes.size(), resume_command(folder)}, arguments.json);
}

int resume_set(const fs::path& folder, const RunArguments& arguments) {
  const records::FolderLock lock(folder);
  const auto record = *lab::report::read_experiment(folder);
  return run_set(lab::experiments::plan_resume(record, arguments.sets), record, folder, arguments);
}

int resume_run(const RunArguments& arguments) {
  const fs::path folder = fs::path(arguments.resume).lexically_normal();
  if (lab::report::read_experiment(folder)) return resume_set(folder, arguments);
  Progress progress(folder.filename().string(), arguments.quiet);
  const auto resumed =
      lab::experiments::resume(folder, arguments.sets, {{&progress}, &stop_on_interrupt()}, damage_of(arguments));
  if (!resumed.warning.empty()) say(fmt::format("moblo: warning: {}\n", resumed.warning));
  const Outcome outcome{folder.filename().string(), folder, resumed.summary};
  return conclude({{outcome}, folder, 0, resume_command(folder)}, arguments.json);
}

int run_new_set(const lab::experiments::ExperimentPlan& plan, const fs::path& folder, const RunArguments& arguments) {
  const records::FolderLock lock(folder);
  refuse_existing_experiment(folder);  // somebody may have been faster
  lab::report::write_experiment(folder, plan.record);
  return run_set(plan.runs, plan.record, folder, arguments);
}

}  // namespace

int run(const RunArguments& arguments) {
  if (!arguments.resume.empty()) return arguments.dry_run ? tell_resume(arguments) : resume_run(arguments);
  const auto plan = planned(arguments);
  const fs::path folder = arguments.out.empty() ? free_folder(plan) : fs::path(arguments.out);
  const bool single = plan.runs.size() == 1;
  if (!single) refuse_existing_experiment(folder);
  if (arguments.dry_run) return tell_plan(plan, folder, arguments.json);
  if (!single) return run_new_set(plan, folder, arguments);
  records::refuse_existing_run(folder);
  const auto outcome = run_one(plan.runs.front(), plan.record.title, folder, arguments, stop_on_interrupt());
  return conclude({{outcome}, folder, 0, resume_command(folder)}, arguments.json);
}

}  // namespace moblo::cli
