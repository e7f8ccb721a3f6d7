#include "lab/clean/estimate.hpp"

#include <gtest/gtest.h>

#include "moblo/base/rng.hpp"

namespace moblo::lab::clean::estimate_test {
namespace {

/// Values of a table of the binomial distribution.
TEST(EstimateTest, SharesHaveClopperPearsonIntervals) {
  const auto some = share_of(8, 10);
  EXPECT_NEAR(*some.low, 0.4931, 1e-4);
  EXPECT_NEAR(*some.high, 0.9632, 1e-4);
  EXPECT_EQ(*share_of(0, 5).low, 0);
  EXPECT_NEAR(*share_of(0, 5).high, 0.4507, 1e-4);
  EXPECT_NEAR(*share_of(29, 29).low, 0.9019, 1e-4);
  EXPECT_EQ(*share_of(29, 29).high, 1);
  EXPECT_FALSE(share_of(0, 0).low);
}

/// Whatever the truth, at most one interval in ten misses it.
TEST(EstimateTest, IntervalsCoverTheTruth) {
  Rng rng(1);
  for (const double truth : {0.1, 0.5, 0.93}) {
    int covered = 0;
    for (int i = 0; i < 1000; ++i) {
      std::size_t hits = 0;
      for (int j = 0; j < 60; ++j) hits += rng.uniform() < truth ? 1 : 0;
      const auto found = share_of(hits, 60);
      covered += *found.low <= truth && truth <= *found.high ? 1 : 0;
    }
    EXPECT_GE(covered, 890) << truth;
  }
}

struct Judged {
  std::vector<double> all;
  std::vector<HeldOutPair> pairs;
  double truly = 0;
};

/// Labels that are wrong more often than the probabilities say; the first 300 were checked.
Judged modest_judge(std::uint64_t seed) {
  Rng rng(seed);
  Judged out;
  double wrong_ones = 0;
  for (int j = 0; j < 5000; ++j) {
    const double truth = rng.uniform(), said = truth * truth;
    const bool wrong = rng.uniform() < truth;
    wrong_ones += wrong ? 1 : 0;
    if (j < 300) {
      out.pairs.push_back({said, wrong, true});
    } else {
      out.all.push_back(said);
    }
  }
  std::sort(out.all.rbegin(), out.all.rend());
  out.truly = wrong_ones / 5000;
  return out;
}

TEST(EstimateTest, TheShareIsCorrectedByThePairs) {
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto judged = modest_judge(seed);
    const auto share = estimate_wrong_share(judged.all, judged.pairs);
    EXPECT_NEAR(share.value, judged.truly, 0.1);
    covered += *share.low <= judged.truly && judged.truly <= *share.high ? 1 : 0;
  }
  EXPECT_GE(covered, 83);
}

TEST(EstimateTest, PickedPairsSayNothingOfOthers) {
  auto judged = modest_judge(1);
  for (auto& pair : judged.pairs) pair.random = false;
  EXPECT_FALSE(estimate_wrong_share(judged.all, judged.pairs).low);
  EXPECT_FALSE(estimate_precision(judged.all, 100, judged.pairs).low);
  EXPECT_EQ(flagged_at_bound(judged.all, 0.5, judged.pairs), 0);
}

TEST(FlaggedTest, LongestListThatKeepsThePromise) {
  const std::vector<double> probabilities{1.0, 0.9, 0.8, 0.5, 0.1};
  EXPECT_EQ(flagged_at(probabilities, 0.95), 2);
  EXPECT_EQ(flagged_at(probabilities, 0.9), 3);
  EXPECT_EQ(flagged_at(probabilities, 0.8), 4);
  EXPECT_EQ(flagged_at(probabilities, 0.1), 5);
  EXPECT_EQ(flagged_at({0.5, 0.4}, 0.9), 0);
  EXPECT_EQ(flagged_at({}, 0.9), 0);
}

TEST(FlaggedTest, ABoundMakesTheListShorterThanAnEstimate) {
  std::vector<double> all;
  std::vector<HeldOutPair> pairs;
  Rng rng(3);
  for (int j = 0; j < 5000; ++j) all.push_back(1 - j / 5000.0);
  for (int j = 0; j < 400; ++j) {
    const double p = rng.uniform();
    pairs.push_back({p, rng.uniform() < p, true});
  }
  const auto bound = flagged_at_bound(all, 0.8, pairs), estimate = flagged_at(all, 0.8);
  EXPECT_GT(bound, 0);
  EXPECT_LT(bound, estimate);
  EXPECT_GE(*estimate_precision(all, bound, pairs).low, 0.8 - 1e-9);
}

}  // namespace
}  // namespace moblo::lab::clean::estimate_test
