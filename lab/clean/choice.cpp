#include "lab/clean/choice.hpp"

#include <algorithm>
#include <cmath>

namespace moblo::lab::clean {
namespace {

constexpr std::size_t enough_to_choose = 20;
constexpr double least_chance = 1e-6;

ClassChances mixture(const Candidate& candidate, const std::vector<ClassChances>& judges) {
  return mixed(judges, candidate.shares);
}

bool is_right(const ClassChances& chances, std::size_t sample, std::int64_t right) {
  const auto* row = chances.row(sample);
  return std::max_element(row, row + chances.classes) - row == right;
}

double power_without(const ClassChances& chances, const Labels& right, const std::vector<std::int64_t>& folds,
                     std::int64_t k) {
  ClassChances others{chances.classes, {}};
  Labels labels;
  for (std::size_t j = 0; j < right.size(); ++j) {
    if (folds[j] == k) continue;
    others.values.insert(others.values.end(), chances.row(j), chances.row(j) + chances.classes);
    labels.push_back(right[j]);
  }
  return best_power(others, labels);
}

/// Log-likelihood of every label.
std::vector<double> likelihoods(const ClassChances& chances, const Labels& right,
                                const std::vector<std::int64_t>& folds) {
  const auto count = *std::max_element(folds.begin(), folds.end()) + 1;
  std::vector<ClassChances> by_fold;
  for (std::int64_t k = 0; k < count; ++k) {
    by_fold.push_back(sharpened(chances, power_without(chances, right, folds, k)));
  }
  std::vector<double> out;
  for (std::size_t j = 0; j < right.size(); ++j) {
    out.push_back(std::log(std::max(by_fold[static_cast<std::size_t>(folds[j])].at(j, right[j]), least_chance)));
  }
  return out;
}

std::vector<double> differences(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> out;
  for (std::size_t j = 0; j < first.size(); ++j) out.push_back(first[j] - second[j]);
  return out;
}

bool clearly_better(const std::vector<double>& first, const std::vector<double>& second) {
  constexpr double errors_in_reach = 1.6449;  // mean_of's interval
  const auto gain = mean_of(differences(first, second));
  return gain.value > (*gain.high - gain.value) / errors_in_reach;
}

}  // namespace

std::vector<Candidate> model_candidates(const std::vector<std::string>& names, const std::vector<bool>& simple,
                                        const std::vector<ClassChances>& trusted, const Labels& right) {
  std::vector<Candidate> candidates;
  for (std::size_t m = 0; m < names.size(); ++m) {
    Candidate one{names[m], std::vector<double>(names.size(), 0.0), simple[m]};
    one.shares[m] = 1;
    candidates.push_back(std::move(one));
  }
  if (names.size() > 1) candidates.push_back({"mixture", mixing_shares(trusted, right), false});
  return candidates;
}

ModelChoice choose_model(const std::vector<Candidate>& candidates, const std::vector<ClassChances>& trusted,
                         const Labels& right, const std::vector<std::int64_t>& folds) {
  ModelChoice choice;
  if (right.size() < enough_to_choose) {
    choice.chosen = candidates.size() - 1;
    return choice;
  }
  choice.measured = true;
  std::vector<std::vector<double>> likelihood, hits;
  for (const auto& candidate : candidates) {
    const auto chances = mixture(candidate, trusted);
    likelihood.push_back(likelihoods(chances, right, folds));
    hits.emplace_back();
    for (std::size_t j = 0; j < right.size(); ++j) hits.back().push_back(is_right(chances, j, right[j]) ? 1 : 0);
    const auto right_ones = static_cast<std::size_t>(std::count(hits.back().begin(), hits.back().end(), 1.0));
    choice.accuracy.push_back(share_of(right_ones, right.size()));
  }
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (clearly_better(likelihood[i], likelihood[choice.chosen])) choice.chosen = i;
  }
  bool any_simple = false;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].simple) continue;
    if (!any_simple || choice.accuracy[i].value > choice.accuracy[choice.simplest].value) choice.simplest = i;
    any_simple = true;
  }
  choice.margin = mean_of(differences(hits[choice.chosen], hits[choice.simplest]));
  return choice;
}

}  // namespace moblo::lab::clean
