#pragma once

#include <torch/types.h>

namespace moblo::gradients {

/// Of torch's own generator, which a user's dropout draws from.
torch::Tensor torch_random_state();
/// Does nothing where another thread's run owns the generator: what this thread draws then is nobody's.
void set_torch_random_state(const torch::Tensor& state);

/// While one lives, no other thread may set the generator. Owners must take turns; see training's TorchGenerator.
class GeneratorOwner {
 public:
  GeneratorOwner();
  ~GeneratorOwner();
  GeneratorOwner(const GeneratorOwner&) = delete;
  GeneratorOwner& operator=(const GeneratorOwner&) = delete;
};

}  // namespace moblo::gradients
