#pragma once

#include <filesystem>

#include "lab/readers/samples.hpp"

namespace moblo::lab::readers {

/// A pair of IDX files, images and labels, raw or gzip. Where `labels` is empty, the file beside the images whose name
/// has "labels-idx1" for "images-idx3" is taken.
Samples read_idx_samples(const std::filesystem::path& images, const std::filesystem::path& labels,
                         const std::string& labels_flag);

}  // namespace moblo::lab::readers
