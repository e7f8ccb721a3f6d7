// The half of the program that needs torch; `moblo` becomes it.
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/verbs.hpp"
#include "moblo/base/runtime.hpp"

int main(int argc, char** argv) {
  using namespace moblo;
  cli::fail_writes_beyond_limit();
  base::tune_allocator();
  return cli::report_errors(
      [&] {
        if (argc == 3 && std::string_view(argv[1]) == "cell") return cli::cell(argv[2]);
        if (argc == 3 && std::string_view(argv[1]) == "catalogue") return cli::write_catalogue(argv[2]);
        const auto arguments = cli::parse_arguments(argc, argv);
        if (!arguments) return 0;
        if (arguments->verb == "run") return cli::run(arguments->run);
        if (arguments->verb == "reproduce") return cli::reproduce(arguments->reproduce);
        if (arguments->verb == "front") return cli::front(arguments->front);
        if (arguments->verb == "arena") return cli::arena(arguments->arena);
        if (arguments->verb == "refit") return cli::refit(arguments->refit);
        if (arguments->verb == "clean") return cli::clean(arguments->clean);
        if (arguments->verb == "predict") return cli::predict(arguments->predict);
        if (arguments->verb == "check-gradients") return cli::check_gradients(arguments->check);
        return cli::version_verbose();
      },
      cli::asks_for_json(argc, argv));
}
