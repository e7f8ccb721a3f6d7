#include "lab/clean/noise_model.hpp"

#include <algorithm>
#include <cmath>

namespace moblo::lab::clean {
namespace {

constexpr double smallest_chance = 1e-12;

double log_likelihood(const ClassChances& chances, const Labels& right, double power) {
  double total = 0;
  for (std::size_t j = 0; j < right.size(); ++j) {
    double sum = 0;
    for (std::size_t c = 0; c < chances.classes; ++c) {
      sum += std::pow(std::max(chances.row(j)[c], smallest_chance), power);
    }
    total += power * std::log(std::max(chances.at(j, right[j]), smallest_chance)) - std::log(sum);
  }
  return total;
}

NoiseModel even_noise(std::size_t classes, double wrong_share) {
  NoiseModel noise{classes, std::vector<double>(classes * classes, wrong_share / static_cast<double>(classes - 1)),
                   wrong_share};
  for (std::size_t c = 0; c < classes; ++c) noise.transition[c * classes + c] = 1 - wrong_share;
  return noise;
}

/// T_cy = (sum of P(class c | inputs, given) over samples given y + prior) / the same over all y.
NoiseModel maximised(const ClassChances& classes_of_samples, const Labels& given) {
  const std::size_t classes = classes_of_samples.classes;
  std::vector<double> counts(classes * classes, 0.0);
  double wrong = 0;
  for (std::size_t j = 0; j < given.size(); ++j) {
    const auto y = static_cast<std::size_t>(given[j]);
    for (std::size_t c = 0; c < classes; ++c) counts[c * classes + y] += classes_of_samples.row(j)[c];
    wrong += 1 - classes_of_samples.row(j)[y];
  }
  NoiseModel noise = even_noise(classes, wrong / static_cast<double>(given.size()));
  for (std::size_t c = 0; c < classes; ++c) {
    double sum = 0;
    for (std::size_t y = 0; y < classes; ++y) {
      auto& entry = noise.transition[c * classes + y];
      entry = counts[c * classes + y] + static_cast<double>(classes) * entry;
      sum += entry;
    }
    for (std::size_t y = 0; y < classes; ++y) noise.transition[c * classes + y] /= sum;
  }
  return noise;
}

}  // namespace

ClassChances sharpened(const ClassChances& chances, double power) {
  ClassChances out = chances;
  for (std::size_t j = 0; j < out.size(); ++j) {
    double sum = 0;
    for (std::size_t c = 0; c < out.classes; ++c) {
      auto& p = out.row(j)[c];
      p = std::pow(std::max(p, smallest_chance), power);
      sum += p;
    }
    for (std::size_t c = 0; c < out.classes; ++c) out.row(j)[c] /= sum;
  }
  return out;
}

/// Golden section over log power: the likelihood is concave in the power, hence has one peak.
double best_power(const ClassChances& chances, const Labels& right) {
  if (right.empty()) return 1;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  const auto value = [&](double log_power) { return log_likelihood(chances, right, std::exp(log_power)); };
  double low = std::log(0.1), high = std::log(10.0);
  double left = high - golden * (high - low), right_end = low + golden * (high - low);
  double at_left = value(left), at_right = value(right_end);
  for (int i = 0; i < 40; ++i) {
    if (at_left > at_right) {
      high = right_end, right_end = left, at_right = at_left;
      left = high - golden * (high - low), at_left = value(left);
    } else {
      low = left, left = right_end, at_left = at_right;
      right_end = low + golden * (high - low), at_right = value(right_end);
    }
  }
  return std::exp((low + high) / 2);
}

/// Expectation maximisation over which judge is meant; the likelihood is concave in the shares.
std::vector<double> mixing_shares(const std::vector<ClassChances>& judges, const Labels& right) {
  std::vector<double> shares(judges.size(), 1 / static_cast<double>(judges.size()));
  for (int i = 0; i < 200; ++i) {
    std::vector<double> counts(judges.size(), 1.0);
    for (std::size_t j = 0; j < right.size(); ++j) {
      double sum = 0;
      for (std::size_t m = 0; m < judges.size(); ++m) sum += shares[m] * judges[m].at(j, right[j]);
      for (std::size_t m = 0; m < judges.size(); ++m) {
        counts[m] += shares[m] * judges[m].at(j, right[j]) / std::max(sum, 1e-300);
      }
    }
    double total = 0;
    for (const double count : counts) total += count;
    for (std::size_t m = 0; m < judges.size(); ++m) shares[m] = counts[m] / total;
  }
  return shares;
}

ClassChances mixed(const std::vector<ClassChances>& judges, const std::vector<double>& shares) {
  ClassChances out{judges.front().classes, std::vector<double>(judges.front().values.size())};
  for (std::size_t m = 0; m < judges.size(); ++m) {
    for (std::size_t k = 0; k < out.values.size(); ++k) out.values[k] += shares[m] * judges[m].values[k];
  }
  return out;
}

NoiseModel estimate_noise(const ClassChances& chances, const Labels& given) {
  NoiseModel noise = even_noise(chances.classes, 0.3);
  for (int i = 0; i < 100; ++i) {
    const auto before = noise.transition;
    noise = maximised(posterior(chances, given, noise), given);
    double change = 0;
    for (std::size_t k = 0; k < before.size(); ++k) {
      change = std::max(change, std::abs(before[k] - noise.transition[k]));
    }
    if (change < 1e-6) break;
  }
  return noise;
}

ClassChances posterior(const ClassChances& chances, const Labels& given, const NoiseModel& noise) {
  ClassChances out = chances;
  for (std::size_t j = 0; j < out.size(); ++j) {
    double sum = 0;
    for (std::size_t c = 0; c < out.classes; ++c) {
      auto& p = out.row(j)[c];
      p = std::max(p, smallest_chance) * noise.at(static_cast<std::int64_t>(c), given[j]);
      sum += p;
    }
    for (std::size_t c = 0; c < out.classes; ++c) out.row(j)[c] /= std::max(sum, 1e-300);
  }
  return out;
}

std::vector<double> wrong_chances(const ClassChances& classes_of_samples, const Labels& given) {
  std::vector<double> wrong;
  for (std::size_t j = 0; j < given.size(); ++j) {
    double others = 0;  // summed, not 1 - p: keeps the order of samples that are almost certainly right
    for (std::size_t c = 0; c < classes_of_samples.classes; ++c) {
      if (static_cast<std::int64_t>(c) != given[j]) others += classes_of_samples.row(j)[c];
    }
    wrong.push_back(others);
  }
  return wrong;
}

NoiseModel noise_seen(const ClassChances& classes_of_samples, const Labels& given) {
  return maximised(classes_of_samples, given);
}

}  // namespace moblo::lab::clean
