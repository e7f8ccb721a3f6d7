#pragma once

#include <vector>

#include "lab/clean/cross_fit.hpp"
#include "lab/clean/findings.hpp"

namespace moblo::lab::clean {

/// Whether enough trusted samples tell the label that they had before somebody checked them.
bool has_pairs(const CleanTask& task);

/// The pool of judges that has not seen the pairs of fold k (all seen where k is -1). Where there are no pairs, the
/// noise model makes them up.
Pool pool_without(const CleanTask& task, const Folds& folds, std::int64_t k, const std::vector<ClassChances>& noisy,
                  const std::vector<ClassChances>& trusted);

/// Everything that follows from the judges' evidence: probabilities, promises, choice of the model, figures.
DatasetFindings conclude(const CleanTask& task, const CleanOptions& options, const Folds& folds,
                         const std::vector<CrossFit>& fits, std::uint64_t seed);

}  // namespace moblo::lab::clean
