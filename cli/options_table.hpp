#pragma once

#include <string>

#include "moblo/base/json.hpp"

namespace moblo::cli {

/// `fields` as the catalogue holds them.
std::string options_table(const Json& fields, const std::string& prefix);

}  // namespace moblo::cli
