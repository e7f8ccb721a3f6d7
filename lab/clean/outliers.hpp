#pragma once

#include <cstdint>
#include <vector>

#include "lab/clean/noise_model.hpp"

namespace moblo::lab::clean {

struct Outliers {
  std::vector<double> score;  ///< of each sample: by how many deviations its radius is above the middle of its class
  std::vector<std::size_t> listed;  ///< the most outlying first
  double least_score = 0;           ///< of the list; infinite where it is empty
};

/// Samples with much more room around them than others of their class: of another kind, damaged, or rare. `classes` are
/// the most probable ones, not those given. Logarithms of radii are measured from the middle of the class in deviations
/// of its lower half, which outliers do not reach; a common factor makes up for their being skewed. The probability of
/// such a radius by chance is then that of a normal distribution, and the list is Benjamini and Hochberg's: as far as
/// radii are so distributed, no more than `false_share` of it are ordinary samples.
Outliers find_outliers(const std::vector<double>& radius, const Labels& classes, std::size_t class_count,
                       double false_share = 0.1);

}  // namespace moblo::lab::clean
