#pragma once

#include <filesystem>
#include <string>

#include "lab/readers/samples.hpp"

namespace moblo::lab::readers {

/// Takes in what people have found out: a CSV with the columns id, checked_label and perhaps dataset (other datasets'
/// rows are passed over) and reason, as `moblo clean --review` writes it. Rows whose label is empty are not checked
/// yet. Samples that were not drawn at random (their reason is not `random`) are marked as picked.
void apply_verdicts(Samples& samples, const std::filesystem::path& file, const std::string& dataset,
                    ReadingNotes& notes);

}  // namespace moblo::lab::readers
