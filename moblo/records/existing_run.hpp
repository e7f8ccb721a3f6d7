#pragma once

#include <filesystem>

namespace moblo::records {

/// Refuses a folder that holds a run or an experiment already, and a file. Makes nothing.
void refuse_existing_run(const std::filesystem::path& folder);

/// Refuses a folder of `moblo clean`, whose model and report a run would replace.
void refuse_cleaned_data(const std::filesystem::path& folder);

/// Whether a file is one that a run or an experiment has written and needs: it may not be replaced by a report.
bool is_record_of_run(const std::filesystem::path& file);

/// What RunFolder::create would refuse, without making anything: the above, and a place that cannot be written.
void refuse_unusable_place(const std::filesystem::path& folder);

}  // namespace moblo::records
