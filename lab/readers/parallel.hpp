#pragma once

#include <cstdint>
#include <functional>

namespace moblo::lab::readers {

/// Calls `work` with 0 .. count - 1, on several threads (0 = all cores), in no order. What the call of the smallest
/// number throws is thrown here, after all have ended.
void for_each_number(std::int64_t count, unsigned threads, const std::function<void(std::int64_t)>& work);

}  // namespace moblo::lab::readers
