#pragma once

#include <string>

#include "lab/report/arena_record.hpp"

namespace moblo::cli {

/// What `arena` and `report` print: a table per problem, then the ranks.
std::string arena_tables(const lab::report::ArenaRecord& record);

}  // namespace moblo::cli
