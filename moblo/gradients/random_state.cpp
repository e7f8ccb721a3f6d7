#include "moblo/gradients/random_state.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace moblo::gradients {

torch::Tensor torch_random_state() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void set_torch_random_state(const torch::Tensor& state) {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

}  // namespace moblo::gradients
