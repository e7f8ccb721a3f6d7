#include "lab/clean/folds.hpp"

#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {
namespace {

std::vector<std::int64_t> rows_where(const std::vector<std::int64_t>& folds, std::int64_t k, bool in) {
  std::vector<std::int64_t> rows;
  for (std::size_t j = 0; j < folds.size(); ++j) {
    if ((folds[j] == k) == in) rows.push_back(static_cast<std::int64_t>(j));
  }
  return rows;
}

}  // namespace

Folds deal_folds(const CleanTask& task, const CleanOptions& options, std::uint64_t seed) {
  Folds folds{options.folds, std::vector<std::int64_t>(task.noisy.labels.size()),
              std::vector<std::int64_t>(task.trusted.labels.size())};
  Rng rng(derive_seed(seed, "folds"));
  const auto order = rng.permutation(task.noisy.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    folds.noisy[static_cast<std::size_t>(order[j])] = static_cast<std::int64_t>(j) % folds.count;
  }
  std::vector<std::int64_t> next(task.classes.size(), 0);
  std::int64_t dealt = 0;
  for (std::size_t c = 0; c < next.size(); ++c) next[c] = dealt++;  // classes do not all begin with the first fold
  for (const auto row : rng.permutation(task.trusted.size())) {
    const auto at = static_cast<std::size_t>(row);
    folds.trusted[at] = next[static_cast<std::size_t>(task.trusted.labels[at])]++ % folds.count;
  }
  return folds;
}

std::vector<std::int64_t> rows_in(const std::vector<std::int64_t>& folds, std::int64_t k) {
  return rows_where(folds, k, true);
}

std::vector<std::int64_t> rows_outside(const std::vector<std::int64_t>& folds, std::int64_t k) {
  return rows_where(folds, k, false);
}

}  // namespace moblo::lab::clean
