#pragma once

#include <torch/torch.h>

#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {

/// Rows of a normal distribution.
inline torch::Tensor normal_rows(std::int64_t rows, std::int64_t width, std::uint64_t seed) {
  Rng rng(seed);
  auto made = torch::empty({rows, width}, torch::kFloat32);
  auto* value = made.data_ptr<float>();
  for (std::int64_t i = 0; i < made.numel(); ++i) value[i] = static_cast<float>(rng.normal());
  return made;
}

}  // namespace moblo::lab::clean
