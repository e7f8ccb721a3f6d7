// The program that people start. It needs no torch: help, lists, datasets, weightings and reports answer at once; all
// else is the engine's.
#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/launcher.hpp"
#include "cli/verbs.hpp"
#include "moblo/base/runtime.hpp"

int main(int argc, char** argv) {
  using namespace moblo;
  cli::fail_writes_beyond_limit();
  return cli::report_errors(
      [&]() -> int {
        if (const auto code = cli::answer_shell_or_build(argc, argv)) return *code;
        const auto arguments = cli::parse_arguments(argc, argv);
        if (!arguments) return 0;
        if (arguments->verb == "list") return cli::list(arguments->list);
        if (arguments->verb == "aggregate") return cli::aggregate(arguments->aggregate);
        if (arguments->verb == "data") return cli::data(arguments->data);
        if (arguments->verb == "report") return cli::report(arguments->report);
        if (arguments->verb == "verify") return cli::verify(arguments->verify);
        if (arguments->verb == "watch") return cli::watch(arguments->watch);
        if (arguments->verb == "review") return cli::review(arguments->review);
        if (arguments->verb == "completion") return cli::completion(arguments->completion);
        if (arguments->verb.empty() && !arguments->verbose) {
          fmt::print("moblo {}\n", version());
          return 0;
        }
        cli::become_engine(argv);
      },
      cli::asks_for_json(argc, argv));
}
