#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>

namespace moblo::gradients {

/// Counts the bytes of the tensors that this thread makes while it is alive, by what torch tells its profilers.
class TensorMemory {
 public:
  TensorMemory();
  std::int64_t most_bytes() const;  ///< that lived at one time

 private:
  class Count;
  std::shared_ptr<Count> count_;
  c10::DebugInfoGuard guard_;
};

}  // namespace moblo::gradients
