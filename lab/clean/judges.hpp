#pragma once

#include <string>
#include <vector>

#include "lab/clean/judge.hpp"

namespace moblo::lab::clean {

Judge plain_judge();    ///< a network of all labels as given
Judge trusted_judge();  ///< a network of the trusted labels only
Judge robust_judge();   ///< a network that takes labels for draws of the noise model
Judge bilevel_judge();  ///< the network that FORUM's sample weights lead to

/// In the order of their names in --judges' help.
const std::vector<Judge>& all_judges();

}  // namespace moblo::lab::clean
