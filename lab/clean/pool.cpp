#include "lab/clean/pool.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace moblo::lab::clean {
namespace {

constexpr double smallest = 1e-6;  ///< a judge's chance of a class is taken for at least this
constexpr double prior = 4;        ///< weight of the start, in samples
constexpr std::size_t most_looked_at = 20000;
constexpr double weight_of_guesses = 5;  ///< of what unchecked samples say of a class, in pairs

double log_of(double chance) {
  return std::log(std::max(chance, smallest));
}

/// One row per class: what the parameters are multiplied with.
Eigen::MatrixXd features(const std::vector<ClassChances>& judges, std::size_t sample, std::int64_t given,
                         const NoiseModel& noise) {
  const std::size_t classes = noise.classes, count = judges.size();
  Eigen::MatrixXd rows =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(classes), static_cast<Eigen::Index>(count) + 3);
  double surest = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const auto r = static_cast<Eigen::Index>(c);
    double mean = 0;
    for (std::size_t m = 0; m < count; ++m) {
      const double chance = judges[m].row(sample)[c];
      rows(r, static_cast<Eigen::Index>(m)) = log_of(chance);
      mean += chance / static_cast<double>(count);
    }
    rows(r, static_cast<Eigen::Index>(count)) = log_of(noise.at(static_cast<std::int64_t>(c), given));
    surest = std::max(surest, mean);
  }
  rows(given, static_cast<Eigen::Index>(count) + 1) = 1;
  rows(given, static_cast<Eigen::Index>(count) + 2) = log_of(surest);
  return rows;
}

Eigen::VectorXd bayes(std::size_t judges) {
  Eigen::VectorXd start = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(judges) + 3);
  start.head(static_cast<Eigen::Index>(judges)).setConstant(1 / static_cast<double>(judges));
  start(static_cast<Eigen::Index>(judges)) = 1;
  return start;
}

Eigen::VectorXd softmax(const Eigen::VectorXd& scores) {
  const Eigen::VectorXd powers = (scores.array() - scores.maxCoeff()).exp();
  return powers / powers.sum();
}

struct Case {
  Eigen::MatrixXd features;
  std::int64_t truth;
  double weight;
};

double loss(const std::vector<Case>& cases, const Eigen::VectorXd& at, const Eigen::VectorXd& start) {
  double sum = prior / 2 * (at - start).squaredNorm();
  for (const auto& c : cases) {
    const Eigen::VectorXd scores = c.features * at;
    const double top = scores.maxCoeff();
    sum += c.weight * (top + std::log((scores.array() - top).exp().sum()) - scores(c.truth));
  }
  return sum;
}

/// Newton's method on a convex loss of a handful of unknowns; steps are halved until it falls.
Eigen::VectorXd minimised(const std::vector<Case>& cases, const Eigen::VectorXd& start) {
  Eigen::VectorXd now = start;
  double now_loss = loss(cases, now, start);
  for (int i = 0; i < 40; ++i) {
    Eigen::VectorXd gradient = prior * (now - start);
    Eigen::MatrixXd bend = prior * Eigen::MatrixXd::Identity(now.size(), now.size());
    for (const auto& c : cases) {
      const Eigen::VectorXd chances = softmax(c.features * now), mean = c.features.transpose() * chances;
      gradient += c.weight * (mean - c.features.row(c.truth).transpose());
      bend += c.weight * (c.features.transpose() * chances.asDiagonal() * c.features - mean * mean.transpose());
    }
    const Eigen::VectorXd step = bend.ldlt().solve(gradient);
    Eigen::VectorXd next = now;
    double next_loss = now_loss;
    for (double length = 1; length > 1e-6; length /= 2) {
      next = now - length * step;
      next_loss = loss(cases, next, start);
      if (next_loss < now_loss) break;
    }
    if (next_loss >= now_loss || now_loss - next_loss < 1e-10 * now_loss) break;
    now = next, now_loss = next_loss;
  }
  return now;
}

}  // namespace

std::vector<std::int64_t> some_of(std::size_t samples) {
  const auto count = std::min(samples, most_looked_at);
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(static_cast<std::int64_t>(i * samples / count));
  return rows;
}

Labels labels_at(const Labels& labels, const std::vector<std::int64_t>& rows) {
  Labels out;
  for (const auto row : rows) out.push_back(labels[static_cast<std::size_t>(row)]);
  return out;
}

ClassChances chances_at(const ClassChances& chances, const std::vector<std::int64_t>& rows) {
  ClassChances out{chances.classes, {}};
  for (const auto row : rows) {
    const auto* first = chances.row(static_cast<std::size_t>(row));
    out.values.insert(out.values.end(), first, first + chances.classes);
  }
  return out;
}

ClassChances honest_mixture(const std::vector<ClassChances>& noisy, const std::vector<ClassChances>& trusted,
                            const Labels& right, const std::vector<std::int64_t>& rows) {
  const auto labels = labels_at(right, rows);
  std::vector<ClassChances> judged, judged_trusted;
  for (std::size_t m = 0; m < noisy.size(); ++m) {
    const auto of_trusted = chances_at(trusted[m], rows);
    const double power = best_power(of_trusted, labels);
    judged.push_back(sharpened(chances_at(noisy[m], some_of(noisy[m].size())), power));
    judged_trusted.push_back(sharpened(of_trusted, power));
  }
  return mixed(judged, mixing_shares(judged_trusted, labels));
}

NoiseModel noise_of(const ClassChances& chances, const Labels& given, const std::vector<Pair>& pairs) {
  auto noise = estimate_noise(chances, given);
  if (pairs.empty()) return noise;
  std::vector<double> counts(noise.transition);
  for (auto& count : counts) count *= weight_of_guesses;
  double wrong = 0, all = 0;
  for (const auto& pair : pairs) {
    counts[static_cast<std::size_t>(pair.truth) * noise.classes + static_cast<std::size_t>(pair.given)] += pair.weight;
    wrong += pair.truth == pair.given ? 0 : pair.weight, all += pair.weight;
  }
  for (std::size_t c = 0; c < noise.classes; ++c) {
    double sum = 0;
    for (std::size_t y = 0; y < noise.classes; ++y) sum += counts[c * noise.classes + y];
    for (std::size_t y = 0; y < noise.classes; ++y) {
      noise.transition[c * noise.classes + y] = counts[c * noise.classes + y] / sum;
    }
  }
  noise.wrong_share = wrong / all;
  return noise;
}

Pool learn_pool(const std::vector<ClassChances>& judges, const std::vector<Pair>& pairs, NoiseModel noise) {
  std::vector<Case> cases;
  for (const auto& pair : pairs) {
    cases.push_back({features(judges, pair.sample, pair.given, noise), pair.truth, pair.weight});
  }
  const Eigen::VectorXd found = minimised(cases, bayes(judges.size()));
  const auto count = static_cast<Eigen::Index>(judges.size());
  Pool pool;
  pool.noise = std::move(noise);
  pool.judges.assign(found.data(), found.data() + count);
  pool.noise_power = found(count), pool.given = found(count + 1), pool.given_when_sure = found(count + 2);
  return pool;
}

ClassChances pooled(const Pool& pool, const std::vector<ClassChances>& judges, const Labels& given) {
  const std::size_t classes = pool.noise.classes;
  ClassChances out{classes, std::vector<double>(given.size() * classes)};
  std::vector<double> scores(classes);
  for (std::size_t j = 0; j < given.size(); ++j) {
    double surest = 0, top = -1e300, sum = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      double mean = 0;
      scores[c] = pool.noise_power * log_of(pool.noise.at(static_cast<std::int64_t>(c), given[j]));
      for (std::size_t m = 0; m < judges.size(); ++m) {
        const double chance = judges[m].row(j)[c];
        scores[c] += pool.judges[m] * log_of(chance);
        mean += chance / static_cast<double>(judges.size());
      }
      surest = std::max(surest, mean);
    }
    scores[static_cast<std::size_t>(given[j])] += pool.given + pool.given_when_sure * log_of(surest);
    for (const double score : scores) top = std::max(top, score);
    for (auto& score : scores) sum += score = std::exp(score - top);
    for (std::size_t c = 0; c < classes; ++c) out.row(j)[c] = scores[c] / sum;
  }
  return out;
}

std::vector<Pair> rehearsed_pairs(const Labels& right, const NoiseModel& noise) {
  std::vector<Pair> pairs;
  for (std::size_t j = 0; j < right.size(); ++j) {
    for (std::size_t y = 0; y < noise.classes; ++y) {
      const auto given = static_cast<std::int64_t>(y);
      pairs.push_back({j, right[j], given, noise.at(right[j], given)});
    }
  }
  return pairs;
}

}  // namespace moblo::lab::clean
