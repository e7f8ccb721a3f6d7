#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "lab/problems/cleaning_options.hpp"
#include "lab/problems/to_tensors.hpp"
#include "moblo/problem/batch.hpp"

namespace moblo::lab::problems {

/// One dataset of hyper-cleaning: its four parts, of pixels or of any numbers, and which training labels are wrong.
struct CleaningTask {
  std::string name;
  int classes = 0;
  std::int64_t height = 0, width = 0;  ///< of an image; 0 where the samples are none
  TensorDataset train, upper, select, test;
  std::vector<bool> wrong;  ///< of the training labels
  Json provenance;          ///< checksums of the files, of the drawn samples and of the labels
};

/// All parts come from the dataset's training files. Error(data) where it is missing or too small.
CleaningTask make_cleaning_task(const std::string& name, const HyperCleaningOptions& options, std::uint64_t seed);

}  // namespace moblo::lab::problems
