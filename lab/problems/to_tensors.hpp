#pragma once

#include <torch/torch.h>

#include <vector>

#include "lab/readers/listed_pictures.hpp"

namespace moblo::lab::problems {

/// A tensor of its own with an array's values.
template <class T>
torch::Tensor to_tensor(const std::vector<T>& values, const std::vector<std::int64_t>& shape) {
  return torch::from_blob(const_cast<T*>(values.data()), shape, torch::CppTypeToScalarType<T>::value).clone();
}

/// Pixels stay bytes, a quarter of the memory, until a batch of them is read: here they become numbers in [0, 1].
/// What is not bytes stays as it is.
inline torch::Tensor numbers_of(const torch::Tensor& inputs, torch::ScalarType type) {
  return inputs.scalar_type() == torch::kUInt8 ? inputs.to(type).div_(255) : inputs;
}

/// Images [rows, 3, height, width] in [0, 1] as networks that were trained on ImageNet expect them.
inline torch::Tensor imagenet_normalised(const torch::Tensor& images) {
  const auto planes = [](const std::array<float, 3>& values) {
    return torch::tensor({values[0], values[1], values[2]}).view({1, 3, 1, 1});
  };
  return (images - planes(readers::imagenet_mean)) / planes(readers::imagenet_deviation);
}

}  // namespace moblo::lab::problems
