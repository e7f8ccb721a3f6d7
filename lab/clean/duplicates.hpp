#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "lab/clean/neighbours.hpp"
#include "lab/clean/noise_model.hpp"

namespace moblo::lab::clean {

struct DuplicateGroup {
  std::vector<std::size_t> samples;  ///< ascending
  bool exact = false;                ///< all inputs are equal
  bool labels_differ = false;
};

struct Duplicates {
  std::vector<DuplicateGroup> groups;  ///< those whose labels differ first, then the larger ones
  std::vector<std::int64_t> of;  ///< of each sample the first of its group; -1 for that one, and outside of groups
};

using RowPair = std::pair<std::size_t, std::size_t>;
/// Whether the pictures of two samples look alike, for pairs that are near enough to ask.
using Lookalikes = std::function<std::vector<bool>(const std::vector<RowPair>& pairs)>;

struct DuplicateSearch {
  std::uint64_t seed = 0;
  int threads = 0;
  Lookalikes lookalikes{};         ///< none: rows alone decide
  double asked_below = 0.8;        ///< of the radius: pictures of nearer ones are looked at
  std::size_t most_asked = 50000;  ///< the nearest first
};

/// Equal rows are found by their bytes. Rows are nearly equal where they are closer than rows come by chance: in D
/// directions, about (n / m) k r^D others are within r times a row's radius, which is that to the k-th of a sample of
/// m; r is such that half a pair of that kind is expected among all. In tables of few columns chance explains every
/// near pair, so that only equal rows are found there.
Duplicates find_duplicates(const torch::Tensor& rows, const Labels& given, const Surroundings& around,
                           const DuplicateSearch& search = {});

}  // namespace moblo::lab::clean
