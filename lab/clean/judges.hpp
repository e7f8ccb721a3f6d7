#pragma once

#include <vector>

#include "lab/clean/judge.hpp"

namespace moblo::lab::clean {

Judge linear_judge();        ///< logistic regression on all labels as given
Judge plain_judge();         ///< a network of all labels as given
Judge trusted_judge();       ///< a network of the trusted labels only
Judge robust_judge();        ///< a network that takes labels for draws of the noise model
Judge wide_judge();          ///< the same with one wide layer
Judge trees_judge();         ///< boosted trees of all labels as given: tables only, where XGBoost is built in
Judge robust_trees_judge();  ///< the same with labels as draws of the noise model
Judge bilevel_judge();       ///< the network that FORUM's sample weights lead to

/// The simpler ones first: of models that do equally well the first is saved.
const std::vector<Judge>& all_judges();

/// Chances by a model of the user's, read from a file, are a judge of this name.
inline constexpr const char* brought_judge = "given";

/// Those of --judges, or the usual ones, that the task has data for, in the order of all_judges(). Throws Error(usage)
/// for a name that is none, or where nothing is left.
std::vector<const Judge*> chosen_judges(const CleanTask& task, const CleanOptions& options);
bool asks_brought(const CleanTask& task, const CleanOptions& options);

}  // namespace moblo::lab::clean
