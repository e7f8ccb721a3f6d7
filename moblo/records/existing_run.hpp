#pragma once

#include <filesystem>

namespace moblo::records {

/// What several runs can belong to, in one folder.
enum class SetOfRuns { none, experiment, front, arena };

/// Refuses a folder that holds a set of runs of another kind: each would stand in the other's way.
void refuse_other_set(const std::filesystem::path& folder, SetOfRuns own);

/// Refuses a folder that holds a run or a set of runs already, and a file. Makes nothing.
void refuse_existing_run(const std::filesystem::path& folder);

/// Refuses a folder of `moblo clean`, whose model and report a run would replace.
void refuse_cleaned_data(const std::filesystem::path& folder);

/// Whether a file is one that a run or a set of runs has written and needs: it may not be replaced by a report.
bool is_record_of_run(const std::filesystem::path& file);

/// What RunFolder::create would refuse, without making anything: the above, and a place that cannot be written.
void refuse_unusable_place(const std::filesystem::path& folder);

}  // namespace moblo::records
