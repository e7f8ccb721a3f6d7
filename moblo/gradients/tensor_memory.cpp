#include "moblo/gradients/tensor_memory.hpp"

#include <c10/core/Allocator.h>
#include <torch/version.h>

#include <algorithm>

namespace moblo::gradients {

class TensorMemory::Count : public c10::MemoryReportingInfoBase {
 public:
#if TORCH_VERSION_MAJOR == 1 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR == 0)
  using Total = std::int64_t;
#else
  using Total = std::size_t;
#endif
  void reportMemoryUsage(void*, std::int64_t bytes, Total, Total, c10::Device) override {
    now_ += bytes;
    most_ = std::max(most_, now_);
  }
  bool memoryProfilingEnabled() const override {
    return true;
  }
  std::int64_t most() const {
    return most_;
  }

 private:
  std::int64_t now_ = 0, most_ = 0;
};

TensorMemory::TensorMemory() : count_(std::make_shared<Count>()), guard_(c10::DebugInfoKind::PROFILER_STATE, count_) {}

std::int64_t TensorMemory::most_bytes() const {
  return count_->most();
}

}  // namespace moblo::gradients
