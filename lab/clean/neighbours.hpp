#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace moblo::lab::clean {

/// The nearest rows of each row, nearest first; index -1 and distance infinity where there are fewer.
struct Neighbours {
  torch::Tensor index;     ///< [rows, k], int64
  torch::Tensor distance;  ///< [rows, k], float
};

/// Exact, a block of rows at a time. `threads` decides nothing but time, here and below; 0 = all cores.
Neighbours nearest_among(const torch::Tensor& rows, const torch::Tensor& reference, std::int64_t k, int threads = 0);

/// Of each row among the other ones. Exact up to `exact_rows`; beyond, k-means divides the rows into cells (after a
/// random projection where they are wide), and each row is compared with those of its two nearest cells: time n^1.5,
/// memory n.
Neighbours nearest_rows(const torch::Tensor& rows, std::int64_t k, std::uint64_t seed, int threads = 0,
                        std::int64_t exact_rows = 20000);

constexpr std::int64_t sample_size = 1000, tenth = 10;

/// How much room the rows have around them, from a sample of a thousand.
struct Surroundings {
  std::vector<double>
      radius;            ///< of each row: distance to the tenth nearest of the sample, as far as that is another row
  double dimension = 0;  ///< in how many directions rows spread (Levina and Bickel's estimate)
};

/// A clump of rows that is smaller than a hundredth of the data does not make the radius of its members small.
Surroundings surroundings(const torch::Tensor& rows, std::uint64_t seed, int threads = 0);

}  // namespace moblo::lab::clean
