// The half of the program that needs torch; `moblo` becomes it.
#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "moblo/base/runtime.hpp"

int main(int argc, char** argv) {
  using namespace moblo;
  tune_allocator();
  return cli::report_errors(
      [&] {
        const auto arguments = cli::parse_arguments(argc, argv);
        if (!arguments) return 0;
        if (arguments->verb == "run") return cli::run(arguments->run);
        if (arguments->verb == "reproduce") return cli::reproduce(arguments->reproduce);
        if (arguments->verb == "clean") return cli::clean(arguments->clean);
        if (arguments->verb == "check-gradients") return cli::check_gradients(arguments->check);
        return cli::version_verbose();
      },
      cli::asks_for_json(argc, argv));
}
