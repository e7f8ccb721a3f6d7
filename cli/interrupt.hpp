#pragma once

#include <atomic>

namespace moblo::cli {

constexpr int exit_interrupted = 130;  ///< as shells have it: 128 + SIGINT

/// Set by the first Ctrl-C or SIGTERM, so that the loop can save and end; a second one ends the process at once.
const std::atomic<bool>& stop_on_interrupt();

}  // namespace moblo::cli
