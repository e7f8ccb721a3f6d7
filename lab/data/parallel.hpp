#pragma once

#include <cstdint>
#include <functional>

namespace moblo::lab::data {

/// Calls `work` with 0 .. count - 1, on several threads (0 = all cores). Once a call throws, no further one begins;
/// what the call of the smallest number threw is thrown here, after all have ended. Numbers are handed out in order, so
/// that it is the same one whatever the number of threads.
void for_each_number(std::int64_t count, unsigned threads, const std::function<void(std::int64_t)>& work);

}  // namespace moblo::lab::data
