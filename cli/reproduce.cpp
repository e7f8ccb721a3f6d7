#include <fmt/format.h>

#include <filesystem>

#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/outcome.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "moblo/base/error.hpp"
#include "moblo/experiment/runner.hpp"
#include "moblo/record/run_folder.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

/// A cell that an earlier start of the same experiment left behind must be of the same plan.
void refuse_other_plan(const fs::path& folder, const RunPlan& plan) {
  if (read_manifest(folder).config == plan.config()) return;
  throw Error(ErrorKind::config, folder.string(), "holds a run with other options than the experiment has now",
              "Use --fresh to run it again, or another --out");
}

/// Two experiments in one folder would take each other's record.
void refuse_other_experiment(const fs::path& folder, const ExperimentRecord& record) {
  const auto before = read_experiment(folder);
  if (!before || before->name == record.name) return;
  throw Error(ErrorKind::config, folder.string(), fmt::format("holds the experiment '{}'", before->name),
              "Choose another --out");
}

/// The same command without --fresh, which would throw away what is done.
std::string resume_command(const ReproduceArguments& arguments) {
  std::string command = fmt::format("moblo reproduce {}", shell_quoted(arguments.name));
  if (arguments.quick) command += " --quick";
  for (const auto& assignment : arguments.sets) command += " --set " + shell_quoted(assignment);
  if (!arguments.out.empty()) command += " --out " + shell_quoted(arguments.out);
  return command;
}

/// Runs one cell: done ones are taken as they are, broken off ones go on.
Outcome cell(const RunPlan& plan, const std::string& title, const fs::path& folder,
             const ReproduceArguments& arguments) {
  const auto& stop = stop_on_interrupt();
  Progress progress(plan.name, arguments.quiet);
  if (arguments.fresh && is_run_folder(folder)) fs::remove_all(folder);
  if (!is_run_folder(folder)) return {plan.name, folder, execute(plan, title, folder, {{&progress}, &stop})};
  refuse_other_plan(folder, plan);
  const auto before = read_summary(folder);
  if (before && succeeded(before->status)) {
    if (!arguments.quiet) say(fmt::format("{}: done before, {} iterations\n", plan.name, before->iterations));
    return {plan.name, folder, *before};
  }
  const bool nothing_saved = before && !has_checkpoint(folder);
  if (nothing_saved) {
    fs::remove_all(folder);
    return {plan.name, folder, execute(plan, title, folder, {{&progress}, &stop})};
  }
  return {plan.name, folder, resume(folder, {}, {{&progress}, &stop}).summary};
}

}  // namespace

int reproduce(const ReproduceArguments& arguments) {
  const auto plan = planned(arguments);
  const fs::path folder = arguments.out.empty() ? fs::path("runs") / plan.record.name : fs::path(arguments.out);
  if (!arguments.quiet) say(fmt::format("{}\nCost: {}\n", plan.record.title, plan.record.cost));
  refuse_other_experiment(folder, plan.record);
  write_experiment(folder, plan.record);
  std::vector<Outcome> outcomes;
  for (const auto& run_plan : plan.runs) {
    if (stop_on_interrupt() && !outcomes.empty()) break;
    outcomes.push_back(cell(run_plan, plan.record.title, folder / run_plan.folder, arguments));
  }
  return conclude({outcomes, folder, plan.runs.size() - outcomes.size(), resume_command(arguments)}, arguments.json);
}

}  // namespace moblo::cli
