#pragma once

#include <string>
#include <vector>

#include "moblo/base/options.hpp"

namespace moblo::cli {

/// option, default, values, meaning: one line a field.
std::string options_table(const std::vector<FieldInfo>& fields, const std::string& prefix);

}  // namespace moblo::cli
