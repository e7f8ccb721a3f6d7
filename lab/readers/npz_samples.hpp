#pragma once

#include <filesystem>

#include "lab/readers/samples.hpp"

namespace moblo::lab::readers {

/// Arrays of NumPy: an npz with `x` and `y` (or their other names), perhaps `ids` and `trusted`; or x as an npy file
/// and its labels as another.
Samples read_npz_samples(const std::filesystem::path& data, const std::filesystem::path& labels, ReadingNotes& notes);

/// The same without a look at labels and marks: ids and inputs.
Samples read_npz_inputs(const std::filesystem::path& data, ReadingNotes& notes);

/// Marks samples by an npy file of booleans, or of zeros and ones.
void mark_by_array(Samples& samples, const std::filesystem::path& file);

}  // namespace moblo::lab::readers
