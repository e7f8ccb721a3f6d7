#include "moblo/methods/parzen.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace moblo::methods {
namespace {

double integral(const ParzenEstimator& density, double low, double high) {
  constexpr int cells = 20000;
  double sum = 0;
  for (int i = 0; i < cells; ++i) sum += std::exp(density.log_density(low + (high - low) * (i + 0.5) / cells));
  return sum * (high - low) / cells;
}

TEST(Parzen, IsADensityOnItsRange) {
  Rng rng(1);
  for (const std::size_t count : {0, 1, 2, 7, 26, 80}) {
    std::vector<double> points;
    for (std::size_t i = 0; i < count; ++i) points.push_back(-2 + 5 * rng.uniform());
    EXPECT_NEAR(integral(ParzenEstimator(points, -2, 3), -2, 3), 1, 1e-4) << count;
  }
}

TEST(Parzen, SamplesFollowTheDensityAndStayInRange) {
  const ParzenEstimator density({0.9, 0.95, 1.0, 0.2}, 0, 1);
  Rng rng(2);
  int upper_half = 0;
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    const double x = density.sample(rng);
    ASSERT_GE(x, 0);
    ASSERT_LE(x, 1);
    upper_half += x > 0.5;
  }
  double expected = 0;
  for (int i = 0; i < 10000; ++i)
    expected += std::exp(density.log_density(0.5 + 0.5 * (i + 0.5) / 10000)) * 0.5 / 10000;
  EXPECT_NEAR(static_cast<double>(upper_half) / draws, expected, 0.02);
}

TEST(Parzen, EqualPointsAreNoTrouble) {
  const ParzenEstimator density(std::vector<double>(30, 0.5), 0, 1);
  EXPECT_TRUE(std::isfinite(density.log_density(0)));
  EXPECT_NEAR(integral(density, 0, 1), 1, 1e-4);
}

TEST(Parzen, SuggestsWhereGoodOnesAreAndBadOnesAreNot) {
  const ParzenEstimator good({0.79, 0.8, 0.81}, 0, 1), bad({0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, 0, 1);
  Rng rng(3);
  for (int i = 0; i < 20; ++i) EXPECT_GT(suggest(good, bad, 24, rng), 0.65);
}

}  // namespace
}  // namespace moblo::methods
