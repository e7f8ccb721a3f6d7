#include <fmt/format.h>

#include <cstdio>

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/verbs.hpp"
#include "cli/watch_server.hpp"
#include "lab/report/page.hpp"
#include "moblo/base/error.hpp"

namespace moblo::cli {

int watch(const WatchArguments& arguments) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(arguments.folder, ignored)) {
    throw Error(ErrorKind::usage, arguments.folder, "is not a folder", "Name a run folder, or one above some");
  }
  const auto& stop = stop_on_interrupt();
  Watch content(std::filesystem::path(arguments.folder));
  serve(content, {arguments.host, arguments.port}, stop, [&](int port) {
    const bool plain = arguments.host.find(':') == std::string::npos;
    fmt::print("Watching {} at http://{}:{}/ (Ctrl-C ends it)\n", arguments.folder,
               plain ? arguments.host : "[" + arguments.host + "]", port);
    std::fflush(stdout);
    if (lab::report::chart_library().empty()) say(fmt::format("moblo: warning: {}\n", lab::report::no_chart_library));
  });
  return 0;
}

}  // namespace moblo::cli
