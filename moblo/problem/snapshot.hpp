#pragma once

#include <torch/torch.h>

#include <map>
#include <string>

#include "moblo/base/json.hpp"

namespace moblo {

/// State as a value. A snapshot stays what it was: whoever saves into it hands over tensors it will not write to again.
struct Snapshot {
  Json values = Json::object();
  std::map<std::string, torch::Tensor> tensors;
};

}  // namespace moblo
