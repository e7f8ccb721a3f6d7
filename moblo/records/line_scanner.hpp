#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "moblo/records/records.hpp"

namespace moblo::records {

/// The records of a long run are a hundred thousand lines, all of the shape in which to_json() wrote them. These read
/// that shape alone, several times faster than a JSON document is built; for any other line they return nothing, and it
/// is read as JSON.
std::optional<StepRecord> scan_step(std::string_view line);
std::optional<StepTiming> scan_timing(std::string_view line);
/// The iteration of either.
std::optional<std::int64_t> scan_iteration(std::string_view line);

}  // namespace moblo::records
