#pragma once

#include <atomic>

namespace moblo::cli {

constexpr int exit_interrupted = 130;  ///< as shells have it: 128 + SIGINT

/// Set by the first Ctrl-C, SIGTERM or hang-up of the terminal, so that the loop can save and end; a second one ends
/// the process at once.
const std::atomic<bool>& stop_on_interrupt();

/// A write beyond the limit on the size of files fails, as on a full disk, instead of ending the process.
void fail_writes_beyond_limit();

}  // namespace moblo::cli
