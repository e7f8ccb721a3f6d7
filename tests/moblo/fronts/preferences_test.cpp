#include "moblo/fronts/preferences.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "moblo/base/error.hpp"

namespace moblo::fronts::preferences_test {
namespace {

double sum(const Preference& r) {
  return std::accumulate(r.begin(), r.end(), 0.0);
}

TEST(Preferences, ArePositiveAndSumToOneForAnyNumberOfObjectivesAndPoints) {
  for (const std::int64_t m : {2, 3, 4, 5, 8}) {
    for (const std::int64_t points : {1, 2, 3, 7, 20, 21, 40}) {
      const auto all = spread_preferences(m, points);
      ASSERT_GE(static_cast<std::int64_t>(all.size()), points) << m;
      if (m != 3) {
        EXPECT_EQ(static_cast<std::int64_t>(all.size()), points) << m;
      }
      for (const auto& r : all) {
        ASSERT_EQ(static_cast<std::int64_t>(r.size()), m);
        EXPECT_NEAR(sum(r), 1, 1e-12);
        for (const double entry : r) EXPECT_GT(entry, least_share / static_cast<double>(m) / 10);
      }
      EXPECT_EQ(all, spread_preferences(m, points)) << "the same each time";
      for (std::size_t a = 0; a < all.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) EXPECT_GT(angle(all[a], all[b]), 1e-3) << m << " " << points;
      }
    }
  }
}

TEST(Preferences, OfTwoObjectivesHaveRaysAtEqualAngles) {
  const auto all = spread_preferences(2, 20);
  const double step = std::numbers::pi / 2 / 19;
  for (std::size_t i = 1; i + 2 < all.size(); ++i) EXPECT_NEAR(angle(all[i], all[i + 1]), step, 1e-12);
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    EXPECT_NEAR(std::atan2(1 / all[i][1], 1 / all[i][0]), static_cast<double>(i) * step, 1e-12);
  }
  EXPECT_NEAR(all.front()[0] / all.front()[1], least_share, 2e-6) << "the ray runs along the first axis";
}

TEST(Preferences, OfThreeObjectivesAreALatticeOfDirections) {
  EXPECT_EQ(spread_preferences(3, 21).size(), 21U);
  EXPECT_EQ(spread_preferences(3, 20).size(), 21U);
  EXPECT_EQ(spread_preferences(3, 22).size(), 28U);
  EXPECT_EQ(spread_size_within(3, 20), 15);
  EXPECT_EQ(spread_size_within(3, 21), 21);
  EXPECT_EQ(spread_size_within(3, 2), 1);
  // 1/r is proportional to (i, j, k) / 5 wherever none of them is 0.
  int inside = 0;
  for (const auto& r : spread_preferences(3, 21)) {
    const double scale = 5 / (1 / r[0] + 1 / r[1] + 1 / r[2]);
    bool whole = true;
    for (const double entry : r) whole = whole && std::abs(scale / entry - std::round(scale / entry)) < 1e-9;
    inside += whole ? 1 : 0;
  }
  EXPECT_EQ(inside, 6);
}

TEST(Preferences, BetweenTwoOthersHalveTheirAngle) {
  for (const std::int64_t m : {2, 3, 5}) {
    const auto all = spread_preferences(m, 15);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const auto middle = between(all[i], all[i + 1]);
      const double whole = angle(all[i], all[i + 1]);
      EXPECT_NEAR(angle(all[i], middle), whole / 2, 5e-3 * whole + 2e-3);
      EXPECT_NEAR(angle(middle, all[i + 1]), whole / 2, 5e-3 * whole + 2e-3);
    }
  }
}

TEST(Preferences, OfOneObjectiveOrNoPointAreRefused) {
  EXPECT_THROW(spread_preferences(1, 5), Error);
  EXPECT_THROW(spread_preferences(2, 0), Error);
}

}  // namespace
}  // namespace moblo::fronts::preferences_test
