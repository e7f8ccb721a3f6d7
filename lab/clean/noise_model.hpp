#pragma once

#include <cstdint>
#include <vector>

namespace moblo::lab::clean {

/// P(class | inputs) of samples, row by row.
struct ClassChances {
  std::size_t classes = 0;
  std::vector<double> values;

  std::size_t size() const { return classes == 0 ? 0 : values.size() / classes; }
  const double* row(std::size_t sample) const { return values.data() + sample * classes; }
  double* row(std::size_t sample) { return values.data() + sample * classes; }
  double at(std::size_t sample, std::int64_t c) const { return row(sample)[c]; }
};

using Labels = std::vector<std::int64_t>;

/// p^power, scaled to sum 1: above 1 a network that is too modest, below 1 one that is too sure of itself.
ClassChances sharpened(const ClassChances& chances, double power);

/// The power under which labels that are right are most likely (temperature scaling); 1 where there are none.
double best_power(const ClassChances& chances, const Labels& right);

/// Shares of several judges of the same samples such that the mean of their chances suits labels that are right best;
/// none is left out altogether.
std::vector<double> mixing_shares(const std::vector<ClassChances>& judges, const Labels& right);
ClassChances mixed(const std::vector<ClassChances>& judges, const std::vector<double>& shares);

/// How labels come about: row c holds P(given label | true class c).
struct NoiseModel {
  std::size_t classes = 0;
  std::vector<double> transition;
  double wrong_share = 0;  ///< of the labels it was estimated from

  double at(std::int64_t true_class, std::int64_t given) const {
    return transition[static_cast<std::size_t>(true_class) * classes + static_cast<std::size_t>(given)];
  }
};

/// The transition matrix that makes the given labels most likely, by expectation maximisation over the true classes.
/// Each row is drawn towards moves that hit all other classes alike, with the weight of one sample per class: a class
/// with few samples must not get moves of its own by chance.
NoiseModel estimate_noise(const ClassChances& chances, const Labels& given);

/// P(class | inputs, given label), by Bayes' rule.
ClassChances posterior(const ClassChances& chances, const Labels& given, const NoiseModel& noise);

/// P(the given label is wrong), from the classes' probabilities given inputs and label.
std::vector<double> wrong_chances(const ClassChances& classes_of_samples, const Labels& given);

/// How labels have gone wrong where the true classes have these probabilities.
NoiseModel noise_seen(const ClassChances& classes_of_samples, const Labels& given);

}  // namespace moblo::lab::clean
