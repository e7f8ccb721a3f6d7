#pragma once

#include <nlohmann/json.hpp>

namespace moblo::base {

/// Keys keep the order in which they were written, so manifests and records read as their field tables do.
using Json = nlohmann::ordered_json;

}  // namespace moblo::base

namespace moblo {

using base::Json;

}  // namespace moblo
