#include <fmt/format.h>

#include <cstdio>

#include "cli/interrupt.hpp"
#include "cli/review_request.hpp"
#include "cli/verbs.hpp"
#include "cli/watch_server.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/folder_lock.hpp"

namespace moblo::cli {
namespace {

constexpr auto this_machine = "127.0.0.1";

void tell_how_to_go_on(const ReviewSession& session) {
  if (session.judged() == 0) return;
  fmt::print("{} of {} samples have a verdict in {}. To take them in:\n  {}\n", session.judged(), session.size(),
             session.verdicts_file().string(), session.command());
}

}  // namespace

int review(const ReviewArguments& arguments) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(arguments.folder, ignored)) {
    throw Error(ErrorKind::usage, arguments.folder, "is not a folder", "Give the folder of a `moblo clean`");
  }
  const records::FolderLock lock(std::filesystem::path(arguments.folder).lexically_normal());
  ReviewSession session(lock.folder());
  const auto& stop = stop_on_interrupt();
  const auto token = drawn_token();
  serve([&](const WatchAccess& access, const WatchRequest& request) { return answer_review(session, access, request); },
        {this_machine, arguments.port}, token, stop,
        [&](int port) {
          fmt::print(
              "Samples: {}, of which {} have a verdict. Look at them at http://{}:{}/?token={} (Ctrl-C ends it)\n",
              session.size(), session.judged(), this_machine, port, token);
          std::fflush(stdout);
        });
  tell_how_to_go_on(session);
  return 0;
}

}  // namespace moblo::cli
