#include "moblo/gradients/gradient_check.hpp"

#include <fmt/format.h>

#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "lab/problems/registry.hpp"

namespace moblo::cli {

int check_gradients(const CheckArguments& arguments) {
  const auto problem =
      lab::problems::make_problem(arguments.problem, checked_problem_options(arguments), arguments.seed);
  const auto report = moblo::check_gradients(*problem, {.seed = arguments.seed, .tolerance = arguments.tolerance});
  std::vector<std::vector<std::string>> rows{{"loss", "parameter", "coordinate", "autograd", "differences", "error"}};
  for (const auto& row : report.worst) {
    rows.push_back({row.loss, row.parameter, std::to_string(row.coordinate), fmt::format("{:.9g}", row.analytic),
                    fmt::format("{:.9g}", row.numeric), fmt::format("{:.1e}", row.error())});
  }
  fmt::print("Worst coordinate of each loss and tensor:\n{}\n", table(rows));
  fmt::print("{}: {} derivatives compared, largest relative error {:.1e} (tolerance {:.1e})\n",
             report.passed ? "passed" : "FAILED", report.compared, report.largest_error, arguments.tolerance);
  return report.passed ? 0 : 1;
}

}  // namespace moblo::cli
