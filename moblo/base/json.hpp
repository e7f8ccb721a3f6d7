#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "moblo/base/export.hpp"

namespace moblo::base {

/// Keys keep the order in which they were written, so manifests and records read as their field tables do.
using Json = nlohmann::ordered_json;

/// Discarded (is_discarded()) where the text is not JSON, or is nested more than 100 levels deep: whatever copies,
/// prints or walks a document recurses, and a deeper one would overflow the stack.
MOBLO_API Json parse_json(std::string_view text);

}  // namespace moblo::base

namespace moblo {

using base::Json;

}  // namespace moblo
