#include "lab/clean/score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/clean/calibration.hpp"
#include "lab/clean/pictures.hpp"
#include "lab/metrics/auc.hpp"
#include "lab/metrics/classification.hpp"

namespace moblo::lab::clean {
namespace {

void compare_with_truth(DatasetFindings& found) {
  const auto& truth = *found.truth;
  std::vector<JudgedChance> cases;
  std::vector<bool> suspected;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    cases.push_back({found.wrong[j], truth[j], 1});
    suspected.push_back(found.wrong[j] > 0.5);
  }
  found.true_error = calibration_error(cases);
  found.f1 = metrics::f1(truth, suspected);
  std::size_t hits = 0;
  for (std::size_t r = 0; r < found.flagged.length; ++r) hits += truth[found.order[r]] ? 1 : 0;
  const auto all = static_cast<std::size_t>(std::count(truth.begin(), truth.end(), true));
  const auto share = [](std::size_t part, std::size_t of) {
    return static_cast<double>(part) / static_cast<double>(of);
  };
  if (found.flagged.length > 0) found.flagged.precision = share(hits, found.flagged.length);
  if (all > 0) found.flagged.recall = share(hits, all);
}

}  // namespace

Labels most_probable(const ClassChances& chances) {
  Labels labels;
  for (std::size_t j = 0; j < chances.size(); ++j) {
    labels.push_back(std::max_element(chances.row(j), chances.row(j) + chances.classes) - chances.row(j));
  }
  return labels;
}

Labels best_guesses(const ClassChances& posterior, const Labels& given) {
  Labels labels;
  for (std::size_t j = 0; j < given.size(); ++j) {
    std::int64_t best = given[j];
    double chance = 0;
    for (std::size_t c = 0; c < posterior.classes; ++c) {
      if (static_cast<std::int64_t>(c) == given[j] || posterior.row(j)[c] <= chance) continue;
      best = static_cast<std::int64_t>(c), chance = posterior.row(j)[c];
    }
    labels.push_back(posterior.at(j, given[j]) >= 0.5 ? given[j] : best);
  }
  return labels;
}

std::vector<double> unlikeliness(const ClassChances& chances, const Labels& given) {
  std::vector<double> scores;
  for (std::size_t j = 0; j < given.size(); ++j) scores.push_back(-std::log(std::max(chances.at(j, given[j]), 1e-300)));
  return scores;
}

double accuracy_of(const ClassChances& chances, const Labels& right) {
  return metrics::accuracy(right, most_probable(chances));
}

WayFigures way(const std::string& name, const std::string& learns_from, const std::vector<double>& suspicion,
               const ClassChances* test, const CleanTask& task) {
  WayFigures figures{name, learns_from, {}, {}, {}};
  if (task.wrong) figures.auc = metrics::area_under_roc(suspicion, *task.wrong);
  if (test && task.test) figures.test_accuracy = accuracy_of(*test, task.test->labels);
  return figures;
}

void describe(DatasetFindings& found, const CleanTask& task, const std::vector<HeldOutPair>& pairs,
              const CleanOptions& options) {
  found.name = task.name;
  found.classes = task.classes;
  found.columns = task.columns;
  found.trusted = task.trusted.size();
  found.test = task.test ? task.test->size() : 0;
  found.ids = task.ids;
  found.given = task.noisy.labels;
  found.truth = task.wrong;
  found.order.resize(found.wrong.size());
  std::iota(found.order.begin(), found.order.end(), std::size_t{0});
  std::stable_sort(found.order.begin(), found.order.end(),
                   [&](std::size_t a, std::size_t b) { return found.wrong[a] > found.wrong[b]; });
  std::vector<double> descending;
  for (const auto j : found.order) descending.push_back(found.wrong[j]);
  found.flagged.length = options.precision_bound ? flagged_at_bound(descending, *options.precision_bound, pairs)
                                                 : flagged_at(descending, options.precision);
  found.flagged.promised = estimate_precision(descending, found.flagged.length, pairs);
  found.wrong_share = estimate_wrong_share(found.wrong, pairs);
  if (found.truth) compare_with_truth(found);
  const auto shown = std::min(found.order.size(), static_cast<std::size_t>(options.gallery));
  found.gallery = thumbnails(task, {found.order.begin(), found.order.begin() + static_cast<std::ptrdiff_t>(shown)});
}

}  // namespace moblo::lab::clean
