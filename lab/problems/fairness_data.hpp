#pragma once

#include <string>
#include <vector>

#include "lab/problems/fairness_options.hpp"
#include "moblo/base/json.hpp"
#include "moblo/problem/batch.hpp"

namespace moblo::lab::problems {

/// Samples in parts. A target is the number of the sample's cell, 2 group + label, so that it holds both.
struct FairnessData {
  std::vector<std::string> groups;          ///< their names
  TensorDataset train, validation, select;  ///< `select` is undefined where none was asked for
  TensorDataset test;
  Json provenance = Json::object();

  std::int64_t cells() const { return 2 * static_cast<std::int64_t>(groups.size()); }
};

inline torch::Tensor labels_of_cells(const torch::Tensor& cells) {
  return cells.remainder(2);
}
inline torch::Tensor groups_of_cells(const torch::Tensor& cells) {
  return cells.div(2, "floor");
}

/// Reads, divides by the seed and encodes by the rows that are not for tests. Throws Error(data) where a group is too
/// small in one of the parts to be measured.
FairnessData make_fairness_data(const FairnessOptions& options, std::uint64_t seed);

}  // namespace moblo::lab::problems
