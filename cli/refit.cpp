#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/outcome.hpp"
#include "cli/verbs.hpp"
#include "lab/experiments/runner.hpp"
#include "lab/report/objective_names.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

void print(const Refit& refit, const lab::report::ObjectiveNames& names) {
  std::vector<std::vector<std::string>> rows{{"", "joint model of the run", "retrained with its alpha"}};
  const auto add = [&](const std::string& name, double joint, double alone) {
    rows.push_back({name, fmt::format("{:.6g}", joint), fmt::format("{:.6g}", alone)});
  };
  for (std::size_t i = 0; i < refit.joint.losses.size(); ++i) {
    add(names[i], refit.joint.losses[i], refit.alone.losses[i]);
  }
  add("f", refit.joint.lower_loss, refit.alone.lower_loss);
  for (std::size_t i = 0; i < refit.joint.metrics.size() && i < refit.alone.metrics.size(); ++i) {
    add(refit.joint.metrics[i].first, refit.joint.metrics[i].second, refit.alone.metrics[i].second);
  }
  fmt::print("{}\n{} lower steps from {}; the model of step {}\n", table(rows), refit.steps,
             refit.from == "fresh" ? "a fresh start" : "the run's omega", refit.steps_of_model);
}

}  // namespace

int refit(const RefitArguments& arguments) {
  const auto result =
      lab::experiments::refit_run(arguments.run, arguments.steps, arguments.from == "fresh", &stop_on_interrupt());
  if (!result) return exit_interrupted;
  if (arguments.json) {
    fmt::print("{}\n", records::to_json(*result).dump());
  } else {
    print(*result, lab::report::ObjectiveNames(records::read_manifest(arguments.run)));
  }
  return 0;
}

}  // namespace moblo::cli
