#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "moblo/base/options.hpp"
#include "moblo/problem/dtype.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::lab::problems {

enum class FairnessTable { adult, compas, file };
enum class GapMeasure {
  parity,      ///< demographic parity: the mean score of everybody
  opportunity  ///< equal opportunity: the mean score of those whose label is positive
};
enum class WeightsPer {
  group_label,  ///< one weight for each group and label
  sample        ///< one weight per training sample
};
/// What stands for learned weights in a comparison; trained on training and validation samples together.
enum class FairnessBaseline {
  none,
  unweighted,
  reweighing,  ///< group and label made independent: P(group) P(label) / P(group, label)
  penalty      ///< the squared gap in the training loss
};

constexpr auto enum_names(FairnessTable) {
  return std::array{std::pair{"adult", FairnessTable::adult}, std::pair{"compas", FairnessTable::compas},
                    std::pair{"file", FairnessTable::file}};
}
constexpr auto enum_names(GapMeasure) {
  return std::array{std::pair{"parity", GapMeasure::parity}, std::pair{"opportunity", GapMeasure::opportunity}};
}
constexpr auto enum_names(WeightsPer) {
  return std::array{std::pair{"group_label", WeightsPer::group_label}, std::pair{"sample", WeightsPer::sample}};
}
constexpr auto enum_names(FairnessBaseline) {
  return std::array{std::pair{"none", FairnessBaseline::none}, std::pair{"unweighted", FairnessBaseline::unweighted},
                    std::pair{"reweighing", FairnessBaseline::reweighing},
                    std::pair{"penalty", FairnessBaseline::penalty}};
}

struct FairnessOptions {
  FairnessTable dataset = FairnessTable::adult;
  std::string data;  ///< directory that holds fairness/adult.csv, fairness/compas.csv

  // of a table of the user's own, dataset = "file"
  std::string file, label, positive, split;

  std::string protected_column;     ///< empty: sex for Adult, race for COMPAS
  std::vector<std::string> groups;  ///< its values that are groups; all others together are one more
  std::vector<std::string> left_out, numbers, amounts, categories;

  WeightsPer weights = WeightsPer::group_label;
  GapMeasure measure = GapMeasure::parity;
  std::int64_t train = 0, validation = 0, select = 0, test = 0;  ///< samples; 0 of `select`: there is none
  std::int64_t hidden = 0;                                       ///< width of a hidden layer; 0: logistic regression
  double ridge = 1e-4;
  std::int64_t batch = 500, validation_batch = 2000;
  FairnessBaseline baseline = FairnessBaseline::none;
  double penalty = 1;  ///< factor of the squared gap, baseline = "penalty"
  Dtype dtype = Dtype::f32;

  static const OptionTable<FairnessOptions>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

ProblemInfo fairness_info();

}  // namespace moblo::lab::problems
