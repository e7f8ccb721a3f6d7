#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "moblo/base/export.hpp"
#include "moblo/base/json.hpp"

namespace moblo::problem {

/// State as a value. A snapshot stays what it was: whoever saves into it hands over tensors it will not write to again.
struct MOBLO_API Snapshot {
  Json values = Json::object();
  std::map<std::string, torch::Tensor> tensors;
};

/// The tensor of that name, which must have the shape and type of `like`: a checkpoint may come from anywhere. Throws
/// Error(checkpoint).
MOBLO_API torch::Tensor tensor_like(const Snapshot& from, const std::string& name, const torch::Tensor& like);

}  // namespace moblo::problem

namespace moblo {

using problem::Snapshot;

}  // namespace moblo
