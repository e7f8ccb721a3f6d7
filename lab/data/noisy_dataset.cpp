#include "lab/data/noisy_dataset.hpp"

#include <functional>
#include <numeric>

namespace moblo::lab::data {

std::int64_t NoisyDataset::width() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace moblo::lab::data
