#pragma once

#include <string>
#include <vector>

#include "lab/data/noisy_dataset.hpp"
#include "lab/data/noisy_source.hpp"

namespace moblo::lab::readers {

/// What a user should know of a dataset that was read all the same: what was done to images, classes that no trusted
/// sample speaks for, rows that were replaced.
using ReadingNotes = std::vector<std::string>;

class PictureFeatures;

/// Reads and checks one dataset (docs/data_formats.md). Throws Error(data) that names file and place, with up to ten
/// problems of a file in one message, or Error(io). With `features`, image files go in as these where they are wanted.
data::NoisyDataset read_noisy_dataset(const data::NoisySource& source, ReadingNotes* notes = nullptr,
                                      PictureFeatures* features = nullptr);

/// All of them, in their order; each note begins with the dataset's name.
std::vector<data::NoisyDataset> read_noisy_datasets(const std::vector<data::NoisySource>& sources,
                                                    ReadingNotes* notes = nullptr);

/// Samples to measure on: all trusted, of the shape and the classes of `dataset`. Columns of a table are found by name
/// and encoded as those of `dataset`; images are brought to its size and colours.
data::NoisyDataset read_test_set(const data::NoisySource& test, const data::NoisyDataset& dataset,
                                 ReadingNotes* notes = nullptr, PictureFeatures* features = nullptr);

struct Samples;

/// Rows to apply a model to: ids and inputs, as those of `like` came to be. Labels are not looked for in tables and
/// arrays; images are those of a list or of a folder with one sub-folder per class, and go in as `features` where these
/// are given.
Samples read_unlabelled(const data::NoisySource& source, const data::NoisyDataset& like, ReadingNotes& notes,
                        PictureFeatures* features = nullptr);

}  // namespace moblo::lab::readers
