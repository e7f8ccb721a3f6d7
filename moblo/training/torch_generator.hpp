#pragma once

#include <torch/types.h>

#include <mutex>

#include "moblo/gradients/random_state.hpp"

namespace moblo::training {

/// While it lives, torch's generator is the owner's alone; afterwards it is as it was. Owners take turns.
class TorchGenerator {
 public:
  explicit TorchGenerator(bool needed) {
    if (!needed) return;
    lock_ = std::unique_lock(mutex());
    before_ = gradients::torch_random_state();
  }
  ~TorchGenerator() {
    if (before_.defined()) gradients::set_torch_random_state(before_);
  }
  TorchGenerator(const TorchGenerator&) = delete;
  TorchGenerator& operator=(const TorchGenerator&) = delete;

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex only;  // a run's own refit takes it again
    return only;
  }
  std::unique_lock<std::recursive_mutex> lock_;
  torch::Tensor before_;
};

}  // namespace moblo::training
