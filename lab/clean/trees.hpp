#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lab/clean/fit.hpp"
#include "lab/clean/job_result.hpp"

namespace moblo::lab::clean {

/// Whether the program was built with XGBoost, and which: "1.7.4", or empty.
std::string trees_version();

struct TreeOptions {
  std::int64_t rounds = 100;
  std::int64_t depth = 6;
  double step_size = 0.1;
  double rows = 0.8, columns = 0.3;  ///< shares that a tree is grown from
  double smallest_leaf = 20;         ///< least sum of second derivatives in a leaf
};

/// Boosted decision trees in the bytes that XGBoost writes. For two classes one score, that of the second; for more one
/// score each.
struct TreeModel {
  std::size_t classes = 0;
  std::int64_t width = 0;  ///< columns of the inputs
  std::vector<std::uint8_t> bytes;
};

/// Newton steps on the same loss as the networks': by the scores of row j the gradient is weight_j (p - r), with r_c =
/// p_c likelihood_jc / sum. On one thread: the same bits for the same lesson and seed. One Monitor::step() a round.
/// Error(config) where there is no XGBoost.
TreeModel fit_trees(const Lesson& lesson, const TreeOptions& options, std::uint64_t seed, Monitor& monitor);

ClassChances tree_chances(const TreeModel& model, const torch::Tensor& inputs);

void put_trees(JobResult& to, const std::string& name, const TreeModel& model);
TreeModel trees_in(const JobResult& from, const std::string& name);

}  // namespace moblo::lab::clean
