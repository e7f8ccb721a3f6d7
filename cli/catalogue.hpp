#pragma once

#include "moblo/base/json.hpp"

namespace moblo::cli {

/// What the engine wrote of methods, problems and training options when the program was built: the names, summaries,
/// references and option fields, and which method suits which problem.
Json read_catalogue();

}  // namespace moblo::cli
