#pragma once

#include <string>
#include <vector>

namespace moblo::lab::clean {

/// How many labels of one group (who labelled, when, which folder) are wrong.
struct GroupShare {
  std::string name;
  std::size_t samples = 0;
  double wrong = 0;             ///< estimated share
  double lower = 0, upper = 0;  ///< 90 % interval, as far as the probabilities are right
  bool differs = false;         ///< from the others together, at 1 % for all groups together (Bonferroni)
};

/// From the probabilities that labels are wrong. The number of wrong ones in a group is a sum of independent draws with
/// these probabilities. Groups of fewer than `least` samples are put together as "others"; worst first.
std::vector<GroupShare> shares_by_group(const std::vector<double>& wrong, const std::vector<std::string>& groups,
                                        std::size_t least = 20);

/// The folder that each path lies in; empty where that says nothing: all in one, or hardly two in one.
std::vector<std::string> folders_of(const std::vector<std::string>& paths);

}  // namespace moblo::lab::clean
