#pragma once

#include <filesystem>
#include <vector>

#include "lab/data/noisy_dataset.hpp"

namespace moblo::lab::readers {

/// Class probabilities of every sample by a model of the user's that has not seen its label: a CSV with a column id
/// and one column per class, in any order. Rows by sample, columns by class, each row's sum made 1. Refuses unknown or
/// missing ids and classes, values outside [0, 1] and rows whose sum is not 1 within 0.01.
std::vector<float> read_class_probabilities(const std::filesystem::path& file, const data::NoisyDataset& dataset);

}  // namespace moblo::lab::readers
