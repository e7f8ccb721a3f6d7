#include "lab/clean/conclude.hpp"

#include <algorithm>

#include "lab/clean/calibration.hpp"
#include "lab/clean/inspection.hpp"
#include "lab/clean/score.hpp"
#include "lab/metrics/auc.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {
namespace {

std::vector<Pair> pairs_without(const CleanTask& task, const Folds& folds, std::int64_t k) {
  std::vector<Pair> pairs;
  for (std::size_t j = 0; j < task.trusted.labels.size(); ++j) {
    if (folds.trusted[j] == k || task.trusted.given[j] < 0) continue;
    pairs.push_back({j, task.trusted.labels[j], task.trusted.given[j], 1});
  }
  return pairs;
}

/// P(class | inputs, label given before the check) of trusted samples by pools that have not seen them.
ClassChances held_out_posterior(const CleanTask& task, const Folds& folds, const std::vector<ClassChances>& noisy,
                                const std::vector<ClassChances>& trusted) {
  ClassChances out = trusted.front();
  Labels given = task.trusted.given;
  for (auto& label : given) label = std::max<std::int64_t>(label, 0);  // rows without a pair are not looked at
  for (std::int64_t k = 0; k < folds.count; ++k) {
    const auto all = pooled(pool_without(task, folds, k, noisy, trusted), trusted, given);
    for (const auto row : rows_in(folds.trusted, k)) {
      const auto at = static_cast<std::size_t>(row);
      std::copy_n(all.row(at), all.classes, out.row(at));
    }
  }
  return out;
}

std::vector<HeldOutPair> held_out_pairs(const CleanTask& task, const ClassChances& posterior) {
  std::vector<HeldOutPair> pairs;
  for (std::size_t j = 0; j < task.trusted.labels.size(); ++j) {
    const auto given = task.trusted.given[j];
    if (given < 0) continue;
    pairs.push_back({1 - posterior.at(j, given), given != task.trusted.labels[j], !task.trusted.picked[j]});
  }
  return pairs;
}

MeasuredOnPairs measured_on(const CleanTask& task, const ClassChances& posterior,
                            const std::vector<HeldOutPair>& pairs) {
  MeasuredOnPairs out;
  out.pairs = pairs.size();
  std::vector<double> scores;
  std::vector<bool> wrong;
  std::vector<JudgedChance> cases;
  for (const auto& pair : pairs) {
    if (!pair.random) continue;
    ++out.random;
    scores.push_back(pair.probability), wrong.push_back(pair.wrong);
    cases.push_back({pair.probability, pair.wrong, 1});
  }
  if (out.random < fewest_pairs) return out;
  out.auc = metrics::area_under_roc(scores, wrong);
  out.error = calibration_error(cases);
  Labels given = task.trusted.given;
  for (auto& label : given) label = std::max<std::int64_t>(label, 0);
  const auto guesses = best_guesses(posterior, given);
  std::size_t right = 0;
  for (std::size_t j = 0; j < guesses.size(); ++j) {
    if (task.trusted.given[j] < 0 || task.trusted.picked[j]) continue;
    right += guesses[j] == task.trusted.labels[j] ? 1 : 0;
  }
  out.right_guesses = share_of(right, out.random);
  return out;
}

/// Judges without a model (their chances were brought) cannot be saved.
std::vector<const CrossFit*> with_models(const std::vector<CrossFit>& fits) {
  std::vector<const CrossFit*> out;
  for (const auto& fit : fits) {
    if (fit.judge) out.push_back(&fit);
  }
  return out;
}

struct RandomTrusted {
  std::vector<ClassChances> chances;
  Labels labels;
  std::vector<std::int64_t> folds;
};

/// Samples that were picked because labels looked wrong do not stand for others.
RandomTrusted random_trusted(const CleanTask& task, const Folds& folds, const std::vector<const CrossFit*>& fits) {
  RandomTrusted out;
  for (const auto* fit : fits) {
    out.chances.push_back({fit->evidence.trusted.classes, {}});
    for (std::size_t j = 0; j < task.trusted.labels.size(); ++j) {
      if (task.trusted.picked[j]) continue;
      const auto* row = fit->evidence.trusted.row(j);
      out.chances.back().values.insert(out.chances.back().values.end(), row, row + out.chances.back().classes);
    }
  }
  for (std::size_t j = 0; j < task.trusted.labels.size(); ++j) {
    if (task.trusted.picked[j]) continue;
    out.labels.push_back(task.trusted.labels[j]);
    out.folds.push_back(folds.trusted[j]);
  }
  return out;
}

void choose(DatasetFindings& found, const CleanTask& task, const Folds& folds, const std::vector<CrossFit>& fits) {
  const auto usable = with_models(fits);
  if (usable.empty()) return;
  std::vector<std::string> names;
  std::vector<bool> simple;
  for (const auto* fit : usable) {
    names.push_back(fit->judge->name);
    simple.push_back(fit->judge->simple);
  }
  const auto evidence = random_trusted(task, folds, usable);
  found.candidates = model_candidates(names, simple, evidence.chances, evidence.labels);
  found.choice = choose_model(found.candidates, evidence.chances, evidence.labels, evidence.folds);
}

}  // namespace

bool has_pairs(const CleanTask& task) {
  return static_cast<std::size_t>(std::count_if(task.trusted.given.begin(), task.trusted.given.end(),
                                                [](auto given) { return given >= 0; })) >= fewest_pairs;
}

Pool pool_without(const CleanTask& task, const Folds& folds, std::int64_t k, const std::vector<ClassChances>& noisy,
                  const std::vector<ClassChances>& trusted) {
  const auto mixture = honest_mixture(noisy, trusted, task.trusted.labels, rows_outside(folds.trusted, k));
  const auto given = labels_at(task.noisy.labels, some_of(task.noisy.labels.size()));
  if (has_pairs(task)) {
    const auto pairs = pairs_without(task, folds, k);
    return learn_pool(trusted, pairs, noise_of(mixture, given, pairs));
  }
  auto noise = noise_of(mixture, given, {});
  const auto pairs = rehearsed_pairs(task.trusted.labels, noise);
  return learn_pool(trusted, pairs, std::move(noise));
}

DatasetFindings conclude(const CleanTask& task, const CleanOptions& options, const Folds& folds,
                         const std::vector<CrossFit>& fits, std::uint64_t seed) {
  const auto noisy = on_noisy(fits, 2), trusted = on_trusted(fits, 2);
  DatasetFindings found;
  for (const auto& fit : fits) found.judges.push_back(fit.evidence.judge);
  found.assumed = !has_pairs(task);
  found.pool = pool_without(task, folds, -1, noisy, trusted);
  const auto posterior = pooled(found.pool, noisy, task.noisy.labels);
  found.wrong = wrong_chances(posterior, task.noisy.labels);
  found.predicted = best_guesses(posterior, task.noisy.labels);
  found.noise = noise_seen(posterior, task.noisy.labels);
  std::vector<HeldOutPair> pairs;
  if (!found.assumed) {
    const auto held_out = held_out_posterior(task, folds, noisy, trusted);
    pairs = held_out_pairs(task, held_out);
    found.measured = measured_on(task, held_out, pairs);
  }
  describe(found, task, pairs, options);
  choose(found, task, folds, fits);
  const std::vector<double> even(noisy.size(), 1 / static_cast<double>(noisy.size()));
  const auto unseen = mixed(noisy, even);
  found.inspection =
      inspect(task, {unseen, found.predicted, found.wrong}, derive_seed(seed, "inspection"), options.threads);
  if (options.review > 0) {
    found.review =
        review_items(found.wrong, posterior, unseen, task.noisy.labels, static_cast<std::size_t>(options.review), seed);
  }
  return found;
}

}  // namespace moblo::lab::clean
