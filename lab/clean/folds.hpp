#pragma once

#include <cstdint>
#include <vector>

#include "lab/clean/clean_options.hpp"
#include "lab/clean/clean_task.hpp"

namespace moblo::lab::clean {

/// The fold of every sample of a task; each is judged by models that learned from the other folds.
struct Folds {
  std::int64_t count = 0;
  std::vector<std::int64_t> noisy, trusted;
};

/// Noisy samples in random order, trusted ones class by class.
Folds deal_folds(const CleanTask& task, const CleanOptions& options, std::uint64_t seed);

std::vector<std::int64_t> rows_in(const std::vector<std::int64_t>& folds, std::int64_t k);
std::vector<std::int64_t> rows_outside(const std::vector<std::int64_t>& folds, std::int64_t k);

}  // namespace moblo::lab::clean
