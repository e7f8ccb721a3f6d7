#pragma once

#include <cmath>

#include "fuzz/target.hpp"
#include "lab/readers/noisy_reader.hpp"

namespace moblo::fuzz {

/// Reads a dataset and checks what every format promises.
inline void read_dataset(const lab::data::NoisySource& source) {
  accepts([&] {
    lab::readers::ReadingNotes notes;
    const auto dataset = lab::readers::read_noisy_dataset(source, &notes);
    const std::size_t count = dataset.labels.size();
    must(dataset.ids.size() == count && dataset.trusted.size() == count, "every sample has an id and a mark");
    must(dataset.inputs.size() == count * static_cast<std::size_t>(dataset.width()), "every sample has its inputs");
    for (const float value : dataset.inputs) must(std::isfinite(value), "inputs are finite");
    for (const auto label : dataset.labels) {
      must(label >= 0 && label < static_cast<std::int64_t>(dataset.classes.size()), "labels are classes");
    }
  });
}

}  // namespace moblo::fuzz
