#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/verbs.hpp"
#include "cli/watch_pages.hpp"
#include "cli/watch_server.hpp"
#include "lab/report/page.hpp"
#include "moblo/base/error.hpp"

namespace moblo::cli {
namespace {

/// The token stands in it only where it was drawn: its owner knows a given one, and logs keep what is printed.
void tell_address(const WatchArguments& arguments, int port, const std::string& drawn) {
  const bool is_ipv6 = arguments.host.find(':') != std::string::npos;
  fmt::print("Watching {} at http://{}:{}/{} (Ctrl-C ends it)\n", arguments.folder,
             is_ipv6 ? "[" + arguments.host + "]" : arguments.host, port, drawn.empty() ? "" : "?token=" + drawn);
  std::fflush(stdout);
}

}  // namespace

int watch(const WatchArguments& arguments) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(arguments.folder, ignored)) {
    throw Error(ErrorKind::usage, arguments.folder, "is not a folder", "Name a run folder, or one above some");
  }
  const auto drawn = arguments.token == "auto" ? drawn_token() : "";
  const auto token = drawn.empty() ? arguments.token : drawn;
  if (!token.empty()) refuse_unfit_token(token);
  mallopt(M_ARENA_MAX, 1);  // with a heap per thread memory creeps upwards, as what one took another gives back
  const auto& stop = stop_on_interrupt();
  Watch content(std::filesystem::path(arguments.folder));
  serve(content, {arguments.host, arguments.port}, token, stop, [&](int port) {
    tell_address(arguments, port, drawn);
    if (lab::report::chart_library().empty()) say(fmt::format("moblo: warning: {}\n", lab::report::no_chart_library));
  });
  return 0;
}

}  // namespace moblo::cli
