#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/outcome.hpp"
#include "cli/verbs.hpp"
#include "lab/experiments/runner.hpp"
#include "lab/report/objective_names.hpp"
#include "lab/report/summary_table.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::cli {
namespace {

void print(const Refit& refit, const lab::report::ObjectiveNames& names) {
  const auto [meaning, both] = lab::report::refit_table(refit, names);
  auto rows = both.rows;
  rows.insert(rows.begin(), both.header);
  fmt::print("{}\n{}\n", table(rows), meaning);
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
