#include <fmt/format.h>

#include <filesystem>

#include "cli/cell_pool.hpp"
#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/outcome.hpp"
#include "cli/verbs.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

/// Two experiments in one folder would take each other's record.
void refuse_other_experiment(const fs::path& folder, const lab::report::ExperimentRecord& record) {
  const auto before = lab::report::read_experiment(folder);
  if (!before || before->name == record.name) return;
  throw Error(ErrorKind::config, folder.string(), fmt::format("holds the experiment '{}'", before->name),
              "Choose another --out");
}

/// The same command without --fresh, which would throw away what is done.
std::string resume_command(const ReproduceArguments& arguments) {
  std::string command = fmt::format("moblo reproduce {}", shell_quoted(arguments.name));
  if (!arguments.protocol.empty()) command += " --protocol " + shell_quoted(arguments.protocol);
  if (arguments.quick) command += " --quick";
  if (arguments.seeds) command += " --seeds " + shell_quoted(*arguments.seeds);
  if (arguments.jobs) command += fmt::format(" --jobs {}", *arguments.jobs);
  for (const auto& assignment : arguments.sets) command += " --set " + shell_quoted(assignment);
  if (!arguments.out.empty()) command += " --out " + shell_quoted(arguments.out);
  return command;
}

}  // namespace

int reproduce(const ReproduceArguments& arguments) {
  const auto plan = planned(arguments);
  const auto engine = fs::read_symlink("/proc/self/exe");
  const fs::path folder = arguments.out.empty() ? fs::path("runs") / plan.record.name : fs::path(arguments.out);
  if (!arguments.quiet) say(fmt::format("{}\nCost: {}\n", plan.record.title, plan.record.cost));
  refuse_other_experiment(folder, plan.record);
  lab::report::refuse_run_folder(folder);
  if (!arguments.fresh) {
    for (const auto& run : plan.runs)
      refuse_other_plan(folder / run.folder, run, "Use --fresh to run it again, or another --out");
  }
  const records::FolderLock lock(folder);
  records::drop_temporaries(folder);
  lab::report::write_experiment(folder, plan.record);  // refuses, where somebody was faster
  const auto outcomes = run_cells(plan, {engine, folder, arguments.fresh, arguments.quiet});
  return conclude({outcomes, folder, plan.runs.size() - outcomes.size(), resume_command(arguments)}, arguments.json);
}

}  // namespace moblo::cli
