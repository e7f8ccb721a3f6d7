#pragma once

#include <torch/types.h>

#include <string>

#include "moblo/records/tensor_file.hpp"

namespace moblo::problem {

/// Between torch and files that need no torch.
records::StoredTensor to_stored(const std::string& name, const torch::Tensor& tensor);
torch::Tensor from_stored(const records::StoredTensor& stored);

}  // namespace moblo::problem
