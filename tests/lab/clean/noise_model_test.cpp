#include "lab/clean/noise_model.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "lab/metrics/auc.hpp"
#include "tests/lab/clean/made_chances.hpp"

namespace moblo::lab::clean {
namespace {

const NoiseModel lopsided = made_noise({0.9, 0.1, 0.0, 0.05, 0.6, 0.35, 0.3, 0.0, 0.7}, 3);

TEST(NoiseModelTest, FindsTheTransitionsThatMadeTheLabels) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto made = make_samples(20000, lopsided, 3, seed);
    const auto found = estimate_noise(made.chances, made.given);
    for (std::size_t k = 0; k < found.transition.size(); ++k) {
      EXPECT_NEAR(found.transition[k], lopsided.transition[k], 0.03) << seed << ", entry " << k;
    }
    const double wrong = std::accumulate(made.wrong.begin(), made.wrong.end(), 0.0) / 20000;
    EXPECT_NEAR(found.wrong_share, wrong, 0.015);
  }
}

TEST(NoiseModelTest, CleanLabelsHaveNoNoise) {
  const auto made = make_samples(5000, made_noise({1, 0, 0, 1}, 2), 4, 3);
  EXPECT_LT(estimate_noise(made.chances, made.given).wrong_share, 0.02);
}

TEST(NoiseModelTest, RowsAreDistributionsEvenForAClassWithoutSamples) {
  const ClassChances chances{3, {0.9, 0.1, 0.0, 0.2, 0.8, 0.0}};
  const auto noise = estimate_noise(chances, {0, 1});
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0;
    for (std::size_t y = 0; y < 3; ++y) {
      const double entry = noise.transition[3 * c + y];
      EXPECT_GE(entry, 0);
      sum += entry;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

/// Of 10000 samples that are called wrong with probability p, about 10000 p are.
TEST(NoiseModelTest, BayesRuleKeepsItsWordForAnHonestJudge) {
  const auto made = make_samples(30000, lopsided, 2, 4);
  const auto wrong = wrong_chances(posterior(made.chances, made.given, lopsided), made.given);
  double promised = 0, happened = 0, count = 0;
  for (std::size_t j = 0; j < wrong.size(); ++j) {
    if (wrong[j] < 0.3 || wrong[j] > 0.7) continue;
    promised += wrong[j], happened += made.wrong[j] ? 1 : 0, ++count;
  }
  ASSERT_GT(count, 1000);
  EXPECT_NEAR(promised / count, happened / count, 0.03);
  EXPECT_GT(*metrics::area_under_roc(wrong, made.wrong), 0.85);
}

TEST(NoiseModelTest, KnowingHowLabelsGoWrongRanksBetterThanConfidence) {
  const auto made = make_samples(20000, lopsided, 2, 5);
  std::vector<double> unsure;
  for (std::size_t j = 0; j < made.given.size(); ++j) unsure.push_back(1 - made.chances.at(j, made.given[j]));
  EXPECT_GT(
      *metrics::area_under_roc(wrong_chances(posterior(made.chances, made.given, lopsided), made.given), made.wrong),
      *metrics::area_under_roc(unsure, made.wrong) + 0.005);
}

/// One judge knows, the other says anything: the mixture follows the first, whatever their order.
TEST(NoiseModelTest, MixtureFollowsTheBetterJudge) {
  const auto clean = made_noise({1, 0, 0, 0, 1, 0, 0, 0, 1}, 3);
  const auto made = make_samples(500, clean, 3, 7), other = make_samples(500, clean, 3, 8);
  const auto shares = mixing_shares({other.chances, made.chances}, made.truth);
  EXPECT_GT(shares[1], 0.95);
  EXPECT_GT(shares[0], 0);
  EXPECT_NEAR(shares[0] + shares[1], 1, 1e-12);
  const auto mixture = mixed({other.chances, made.chances}, shares);
  for (std::size_t j = 0; j < 500; ++j) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += mixture.row(j)[c];
    ASSERT_NEAR(sum, 1, 1e-12);
  }
}

TEST(NoiseModelTest, PowerUndoesWhatWasDoneToTheChances) {
  const auto made = make_samples(20000, made_noise({1, 0, 0, 0, 1, 0, 0, 0, 1}, 3), 2, 6);
  for (const double distortion : {0.4, 1.0, 2.5}) {
    EXPECT_NEAR(best_power(sharpened(made.chances, distortion), made.truth), 1 / distortion, 0.05 / distortion);
  }
  EXPECT_EQ(best_power(made.chances, {}), 1);
}

}  // namespace
}  // namespace moblo::lab::clean
