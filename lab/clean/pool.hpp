#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/clean/noise_model.hpp"

namespace moblo::lab::clean {

/// What one judge says of all samples, none of whose labels it had seen.
struct Evidence {
  std::string judge;
  ClassChances noisy, trusted;
};

/// A sample whose true class and given label are known: one that somebody has checked, or one whose given label is made
/// up by a noise model.
struct Pair {
  std::size_t sample = 0;  ///< of the trusted ones
  std::int64_t truth = 0, given = 0;
  double weight = 1;
};

/// P(class c | inputs, given label y) from what the judges say:
///
///   score_c = sum_m a_m log p_m(c) + d log T_cy + [c = y] (e + h log max_c p(c)),   P = softmax(score)
///
/// p_m are the judges' chances and p their mean; T says how labels of a class go wrong, h that labels of samples that
/// are hard to tell go wrong more often. With a_m = 1/M, d = 1 and e = h = 0 it is Bayes' rule with the geometric mean
/// of the judges.
struct Pool {
  NoiseModel noise;
  std::vector<double> judges;  ///< a_m
  double noise_power = 1, given = 0, given_when_sure = 0;
};

/// What the judges say together without being told the given label, of some of the noisy samples: each raised to the
/// power and taken in the share that suit the labels of those trusted `rows` best; alike where there are none.
ClassChances honest_mixture(const std::vector<ClassChances>& noisy, const std::vector<ClassChances>& trusted,
                            const Labels& right, const std::vector<std::int64_t>& rows);

/// How labels go wrong, by expectation maximisation over the true classes of samples that nobody has checked; checked
/// pairs, where there are any, count as what they are.
NoiseModel noise_of(const ClassChances& chances, const Labels& given, const std::vector<Pair>& pairs);

/// The samples that are looked at where all would take long, evenly spread.
std::vector<std::int64_t> some_of(std::size_t samples);
Labels labels_at(const Labels& labels, const std::vector<std::int64_t>& rows);
ClassChances chances_at(const ClassChances& chances, const std::vector<std::int64_t>& rows);

/// Maximises the likelihood of the pairs' true classes; drawn towards Bayes' rule with the weight of a few samples.
Pool learn_pool(const std::vector<ClassChances>& judges, const std::vector<Pair>& pairs, NoiseModel noise);

ClassChances pooled(const Pool& pool, const std::vector<ClassChances>& judges, const Labels& given);

/// The pairs of trusted samples that would come about if labels went wrong as the noise model says: each with every
/// label that it might have got, weighted with the chance of that.
std::vector<Pair> rehearsed_pairs(const Labels& right, const NoiseModel& noise);

}  // namespace moblo::lab::clean
