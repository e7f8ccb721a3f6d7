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
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

/// runs/NAME-METHOD, or the next number that is free: a second run without --out must not stop at the first one's.
fs::path free_folder(const lab::experiments::ExperimentPlan& plan) {
  const auto stem = fs::path("runs") / fmt::format("{}-{}", plan.record.name, plan.runs.front().method);
  fs::path folder = stem;
  for (int i = 2; fs::exists(folder); ++i) folder = fmt::format("{}-{}", stem.string(), i);
  return folder;
}

std::string resume_command(const fs::path& folder) {
  return fmt::format("moblo run --resume {}", shell_quoted(folder.string()));
}

/// Before any work is done, for the record of the experiment is written at the end.
void refuse_existing_experiment(const fs::path& folder) {
  lab::report::refuse_run_folder(folder);
  if (!lab::report::read_experiment(folder)) return;
  throw Error(ErrorKind::config, folder.string(), "holds an experiment of several runs already",
              "Choose another --out");
}

int resume_run(const RunArguments& arguments) {
  const fs::path folder = fs::path(arguments.resume).lexically_normal();
  Progress progress(folder.filename().string(), arguments.quiet);
  const auto resumed = lab::experiments::resume(folder, arguments.sets, {{&progress}, &stop_on_interrupt()});
  if (!resumed.warning.empty()) say(fmt::format("moblo: warning: {}\n", resumed.warning));
  const Outcome outcome{folder.filename().string(), folder, resumed.summary};
  return conclude({{outcome}, folder, 0, resume_command(folder)}, arguments.json);
}

}  // namespace

int run(const RunArguments& arguments) {
  if (!arguments.resume.empty()) return arguments.dry_run ? tell_resume(arguments) : resume_run(arguments);
  const auto plan = planned(arguments);
  const fs::path folder = arguments.out.empty() ? free_folder(plan) : fs::path(arguments.out);
  const bool single = plan.runs.size() == 1;
  if (!single) refuse_existing_experiment(folder);
  if (arguments.dry_run) return tell_plan(plan, folder, arguments.json);
  const auto& stop = stop_on_interrupt();
  std::vector<Outcome> outcomes;
  for (const auto& run_plan : plan.runs) {
    if (stop && !outcomes.empty()) break;
    const fs::path run_folder = single ? folder : folder / run_plan.folder;
    Progress progress(run_plan.name, arguments.quiet);
    outcomes.push_back({run_plan.name, run_folder,
                        lab::experiments::execute(run_plan, plan.record.title, run_folder, {{&progress}, &stop})});
  }
  if (!single) lab::report::write_experiment(folder, plan.record);
  const auto not_started = plan.runs.size() - outcomes.size();
  auto go_on = resume_command(outcomes.back().folder);
  if (not_started > 0) go_on += fmt::format(" (the {} runs after it were not started)", not_started);
  return conclude({outcomes, folder, not_started, go_on}, arguments.json);
}

}  // namespace moblo::cli
