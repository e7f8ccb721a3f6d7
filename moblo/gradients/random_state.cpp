#include "moblo/gradients/random_state.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace moblo::gradients {
namespace {

std::atomic<std::thread::id> owner{};
thread_local int depth = 0;

}  // namespace

GeneratorOwner::GeneratorOwner() {
  if (depth++ == 0) owner = std::this_thread::get_id();
}

GeneratorOwner::~GeneratorOwner() {
  if (--depth == 0) owner = std::thread::id();
}

torch::Tensor torch_random_state() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void set_torch_random_state(const torch::Tensor& state) {
  const auto owning = owner.load();
  if (owning != std::thread::id() && owning != std::this_thread::get_id()) return;
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

}  // namespace moblo::gradients
