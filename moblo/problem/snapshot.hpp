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

}  // namespace moblo::problem

namespace moblo {

using problem::Snapshot;

}  // namespace moblo
