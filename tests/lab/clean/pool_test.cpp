#include "lab/clean/pool.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lab/clean/calibration.hpp"
#include "lab/clean/choice.hpp"
#include "lab/clean/review.hpp"
#include "lab/metrics/auc.hpp"
#include "tests/lab/clean/made_chances.hpp"

namespace moblo::lab::clean::pool_test {
namespace {

const NoiseModel lopsided = made_noise({0.9, 0.1, 0.0, 0.05, 0.6, 0.35, 0.3, 0.0, 0.7}, 3);

/// Labels of samples whose class is hard to tell are wrong more often than those of others.
MadeSamples hard_ones_go_wrong(std::size_t count, std::uint64_t seed) {
  auto made = make_samples(count, made_noise({1, 0, 0, 0, 1, 0, 0, 0, 1}, 3), 2, seed);
  Rng rng(seed + 1);
  for (std::size_t j = 0; j < count; ++j) {
    const double surest = *std::max_element(made.chances.row(j), made.chances.row(j) + 3);
    if (rng.uniform() < 0.9 * (1 - surest)) made.given[j] = (made.truth[j] + 1) % 3;
    made.wrong[j] = made.given[j] != made.truth[j];
  }
  return made;
}

std::vector<Pair> pairs_of(const MadeSamples& made, std::size_t count) {
  std::vector<Pair> pairs;
  for (std::size_t j = 0; j < count; ++j) pairs.push_back({j, made.truth[j], made.given[j], 1});
  return pairs;
}

double error_of(const ClassChances& posterior, const MadeSamples& made) {
  const auto wrong = wrong_chances(posterior, made.given);
  std::vector<JudgedChance> cases;
  for (std::size_t j = 0; j < wrong.size(); ++j) cases.push_back({wrong[j], made.wrong[j], 1});
  return calibration_error(cases);
}

TEST(PoolTest, WithoutPairsIsBayesRule) {
  const auto made = make_samples(300, lopsided, 2, 1);
  const auto found = pooled(learn_pool({made.chances}, {}, lopsided), {made.chances}, made.given);
  const auto bayes = posterior(made.chances, made.given, lopsided);
  for (std::size_t k = 0; k < found.values.size(); ++k) EXPECT_NEAR(found.values[k], bayes.values[k], 2e-3);
}

TEST(PoolTest, PairsTeachItNoiseThatDependsOnTheSample) {
  const auto made = hard_ones_go_wrong(10000, 3);
  const std::vector<ClassChances> judges{made.chances};
  const auto unaware = pooled(learn_pool(judges, {}, noise_of(made.chances, made.given, {})), judges, made.given);
  const auto pairs = pairs_of(made, 400);
  const auto taught = pooled(learn_pool(judges, pairs, noise_of(made.chances, made.given, pairs)), judges, made.given);
  EXPECT_LT(error_of(taught, made), 0.03);
  EXPECT_GT(error_of(unaware, made), error_of(taught, made));
  EXPECT_GT(*metrics::area_under_roc(wrong_chances(taught, made.given), made.wrong), 0.8);
}

TEST(PoolTest, AJudgeThatSaysAnythingCountsLittle) {
  const auto made = make_samples(2000, lopsided, 2, 5), other = make_samples(2000, lopsided, 2, 6);
  const auto pool = learn_pool({made.chances, other.chances}, pairs_of(made, 500), lopsided);
  EXPECT_GT(pool.judges[0], 0.6);
  EXPECT_LT(std::abs(pool.judges[1]), 0.15);
}

TEST(PoolTest, NoiseIsThatOfThePairs) {
  const auto made = make_samples(5000, lopsided, 2, 8);
  const auto noise = noise_of(made.chances, made.given, pairs_of(made, 1500));
  for (std::size_t k = 0; k < noise.transition.size(); ++k) {
    EXPECT_NEAR(noise.transition[k], lopsided.transition[k], 0.05);
  }
}

TEST(PoolTest, MixtureIsHonestWhereTrustedLabelsSayHow) {
  const auto made = make_samples(3000, lopsided, 2, 12), other = make_samples(3000, lopsided, 2, 13);
  std::vector<std::int64_t> rows;
  for (std::int64_t j = 0; j < 500; ++j) rows.push_back(j);
  const std::vector<ClassChances> judges{sharpened(made.chances, 0.4), other.chances};
  const auto mixture = honest_mixture(judges, judges, made.truth, rows);
  double gap = 0;
  for (std::size_t k = 0; k < mixture.values.size(); ++k) gap += std::abs(mixture.values[k] - made.chances.values[k]);
  EXPECT_LT(gap / static_cast<double>(mixture.values.size()), 0.03);
  EXPECT_EQ(honest_mixture(judges, {{3, {}}, {3, {}}}, {}, {}).size(), 3000);
}

TEST(PoolTest, RehearsedPairsHaveTheChancesOfTheNoise) {
  const auto pairs = rehearsed_pairs({0, 2}, lopsided);
  ASSERT_EQ(pairs.size(), 6);
  double weight = 0;
  for (const auto& pair : pairs) weight += pair.weight;
  EXPECT_NEAR(weight, 2, 1e-12);
  EXPECT_EQ(pairs[1].weight, 0.1);
}

std::vector<std::int64_t> four_folds(std::size_t count) {
  std::vector<std::int64_t> folds;
  for (std::size_t j = 0; j < count; ++j) folds.push_back(static_cast<std::int64_t>(j % 4));
  return folds;
}

TEST(ChoiceTest, PrefersTheJudgeThatKnowsAndTellsByHowMuch) {
  const auto made = make_samples(400, lopsided, 3, 9), other = make_samples(400, lopsided, 3, 10);
  const std::vector<ClassChances> trusted{other.chances, made.chances};
  const auto candidates = model_candidates({"simple", "better"}, {true, false}, trusted, made.truth);
  ASSERT_EQ(candidates.size(), 3);
  const auto choice = choose_model(candidates, trusted, made.truth, four_folds(400));
  EXPECT_TRUE(choice.measured);
  EXPECT_EQ(candidates[choice.chosen].name, "better");
  EXPECT_GT(*choice.margin.low, 0.2);
}

TEST(ChoiceTest, TiesGoToTheSimplerWay) {
  const auto made = make_samples(400, lopsided, 3, 9);
  const std::vector<ClassChances> trusted{made.chances, made.chances};
  const auto candidates = model_candidates({"simple", "same"}, {true, false}, trusted, made.truth);
  const auto choice = choose_model(candidates, trusted, made.truth, four_folds(400));
  EXPECT_EQ(choice.chosen, 0);
  EXPECT_EQ(choice.margin.value, 0);
  EXPECT_FALSE(choose_model(candidates, {{3, {}}, {3, {}}}, {}, {}).measured);
}

TEST(ReviewTest, PartIsRandomAndTheRestIsWhereMostIsToBeLearned) {
  const auto made = make_samples(3000, lopsided, 2, 11);
  const auto known = posterior(made.chances, made.given, lopsided);
  const auto wrong = wrong_chances(known, made.given);
  const auto items = review_items(wrong, known, made.chances, made.given, 200, 1);
  ASSERT_EQ(items.size(), 200);
  std::map<std::string, double> count, unsure;
  std::set<std::size_t> samples;
  for (const auto& item : items) {
    ++count[item.reason], unsure[item.reason] += wrong[item.sample] * (1 - wrong[item.sample]);
    samples.insert(item.sample);
  }
  EXPECT_EQ(samples.size(), 200);
  EXPECT_EQ(count["random"], 60);
  EXPECT_GT(unsure["uncertain"] / count["uncertain"], 1.3 * unsure["random"] / count["random"]);
  EXPECT_EQ(review_items(wrong, known, made.chances, made.given, 5000, 1).size(), 3000);
}

}  // namespace
}  // namespace moblo::lab::clean::pool_test
