#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/clean/estimate.hpp"
#include "lab/clean/pool.hpp"

namespace moblo::lab::clean {

/// One way to get a model: the mean of some judges' models.
struct Candidate {
  std::string name;
  std::vector<double> shares;  ///< of the judges that have models
  bool simple = false;         ///< what one would do without this program
};

/// Which model to save, and what the trusted samples say for it; each was judged by models that had not seen it.
struct ModelChoice {
  std::size_t chosen = 0;          ///< of the candidates
  bool measured = false;           ///< false: too few trusted samples, the choice is an assumption
  std::vector<Estimate> accuracy;  ///< of every candidate
  std::size_t simplest = 0;        ///< the best of the simple ones
  Estimate margin;                 ///< accuracy of the chosen one minus that of the best simple one
};

/// Each judge by itself, then their mixture in the shares that suit `right` best.
std::vector<Candidate> model_candidates(const std::vector<std::string>& names, const std::vector<bool>& simple,
                                        const std::vector<ClassChances>& trusted, const Labels& right);

/// Goes through the candidates, the simplest first. A later one is preferred where the trusted labels are more likely
/// under it by more than one standard error; each candidate's chances are raised to the power that suits the other
/// folds best.
ModelChoice choose_model(const std::vector<Candidate>& candidates, const std::vector<ClassChances>& trusted,
                         const Labels& right, const std::vector<std::int64_t>& folds);

}  // namespace moblo::lab::clean
