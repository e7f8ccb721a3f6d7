#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>

namespace moblo::cli {
namespace {

std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not lock");

void request(int) {
  if (requested.exchange(true)) _exit(exit_interrupted);
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  struct sigaction action {};
  action.sa_handler = request;
  action.sa_flags = SA_RESTART;  // a write to the run folder goes on
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup has it ignored, and means it
  return requested;
}

void fail_writes_beyond_limit() {
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace moblo::cli
