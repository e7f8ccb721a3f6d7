#pragma once

#include <string>

#include "moblo/records/front_record.hpp"

namespace moblo::cli {

/// One row per point, by the first objective, and a line on the whole: what `moblo front` prints.
std::string front_table(const FrontRecord& front);

}  // namespace moblo::cli
