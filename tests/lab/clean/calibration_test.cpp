#include "lab/clean/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/lab/clean/made_chances.hpp"

namespace moblo::lab::clean {
namespace {

/// Truths drawn with the chance `true_chance(p)` where p is said.
template <class TrueChance>
std::vector<JudgedChance> made_cases(const TrueChance& true_chance, std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<JudgedChance> cases;
  for (std::size_t i = 0; i < count; ++i) {
    const double p = rng.uniform();
    cases.push_back({p, rng.uniform() < true_chance(p), 1});
  }
  return cases;
}

TEST(CalibrationTest, FindsTheDistortion) {
  const Calibration truth{0.4, -0.7};
  const auto found = calibrate(made_cases(truth, 20000, 0));
  EXPECT_NEAR(found.slope, truth.slope, 0.03);
  EXPECT_NEAR(found.offset, truth.offset, 0.05);
}

TEST(CalibrationTest, LeavesHonestProbabilitiesAlone) {
  const auto cases = made_cases([](double p) { return p; }, 20000, 1);
  EXPECT_LT(calibration_error(cases), 0.015);
  const auto found = calibrate(cases);
  EXPECT_NEAR(found.slope, 1, 0.05);
  EXPECT_NEAR(found.offset, 0, 0.05);
}

TEST(CalibrationTest, LowersTheErrorOfNewCases) {
  const auto truth = [](double p) { return 0.1 + 0.5 * p; };
  const auto found = calibrate(made_cases(truth, 5000, 2));
  auto fresh = made_cases(truth, 5000, 3);
  const double before = calibration_error(fresh);
  for (auto& c : fresh) c.probability = found(c.probability);
  EXPECT_LT(calibration_error(fresh), before / 3);
}

TEST(CalibrationTest, KeepsTheOrderWhateverTheCases) {
  const auto perverse = made_cases([](double p) { return 1 - p; }, 2000, 4);
  const auto found = calibrate(perverse);
  EXPECT_GT(found.slope, 0);
  EXPECT_LT(found(0.2), found(0.8));
}

TEST(CalibrationTest, FewOrNoCasesStayNearTheIdentity) {
  EXPECT_EQ(calibrate({}).slope, 1);
  const auto found = calibrate({{0.9, true, 1}, {0.1, false, 1}, {0.0, false, 1}, {1.0, true, 1}});
  EXPECT_NEAR(found(0.5), 0.5, 0.1);
  EXPECT_TRUE(std::isfinite(found(0.0)) && std::isfinite(found(1.0)));
}

/// The rehearsal's weights are those of the labels that the noise would give: their sum is one per sample.
TEST(CalibrationTest, RehearsalHasOneCaseALabel) {
  const auto noise = made_noise({0.7, 0.2, 0.1, 0.1, 0.8, 0.1, 0.0, 0.5, 0.5}, 3);
  const auto made = make_samples(50, noise, 2, 5);
  const auto cases = rehearse(made.chances, made.truth, noise);
  ASSERT_EQ(cases.size(), 150);
  double weight = 0;
  for (const auto& c : cases) weight += c.weight;
  EXPECT_NEAR(weight, 50, 1e-9);
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

}  // namespace
}  // namespace moblo::lab::clean
