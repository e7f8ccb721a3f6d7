#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "moblo/records/digest.hpp"

namespace moblo::records {

/// What a run found out about the training samples of one dataset.
struct SampleOutcomes {
  std::string dataset;
  std::vector<double> weights;                 ///< by sample: what it learned to give it, in [0, 1]
  std::vector<std::int64_t> given, predicted;  ///< classes
  std::vector<bool> wrong;                     ///< whether the given label is; empty where that is not known

  struct Picture {
    std::int64_t sample;
    std::string png;
  };
  std::vector<Picture> pictures;  ///< of the most suspicious samples, in that order
};

/// sample_weights.csv with one row per sample, and suspects/DATASET-SAMPLE.png.
void write_sample_outcomes(const std::filesystem::path& folder, const std::vector<SampleOutcomes>& outcomes);

/// Nothing where the run left none. Error(data) with file and line where a row is broken; of the pictures, those that
/// belong to a row are taken, by the weight of their sample.
std::vector<SampleOutcomes> read_sample_outcomes(const std::filesystem::path& folder);

/// What a run that goes on is going to find out again.
/// Of the files that write_sample_outcomes() wrote, by their paths below the folder.
Digests digests_of_sample_outcomes(const std::filesystem::path& folder);
void drop_sample_outcomes(const std::filesystem::path& folder);

}  // namespace moblo::records

namespace moblo {

using records::SampleOutcomes;

}  // namespace moblo
