#pragma once

#include <filesystem>

namespace moblo::records {

/// Refuses a folder that holds a run or an experiment already, and a file. Makes nothing.
void refuse_existing_run(const std::filesystem::path& folder);

/// What RunFolder::create would refuse, without making anything: the above, and a place that cannot be written.
void refuse_unusable_place(const std::filesystem::path& folder);

}  // namespace moblo::records
