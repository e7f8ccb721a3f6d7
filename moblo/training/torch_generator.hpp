#pragma once

#include <torch/types.h>

#include <mutex>
#include <optional>

#include "moblo/gradients/random_state.hpp"

namespace moblo::training {

/// While it lives, torch's generator is the owner's alone; afterwards it is as it was. Owners take turns.
class TorchGenerator {
 public:
  TorchGenerator() : lock_(mutex()), owner_(std::in_place), before_(gradients::torch_random_state()) {}
  ~TorchGenerator() { release(); }
  TorchGenerator(const TorchGenerator&) = delete;
  TorchGenerator& operator=(const TorchGenerator&) = delete;

  /// Before its end: nothing will be drawn.
  void release() {
    if (!owner_) return;
    gradients::set_torch_random_state(before_);
    owner_.reset();
    lock_.unlock();
  }

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex only;  // a run's own refit takes it again
    return only;
  }
  std::unique_lock<std::recursive_mutex> lock_;
  std::optional<gradients::GeneratorOwner> owner_;
  torch::Tensor before_;
};

}  // namespace moblo::training
