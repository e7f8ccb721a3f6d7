#include "moblo/methods/genetic.hpp"

#include <gtest/gtest.h>

#include "moblo/base/rng.hpp"

namespace moblo::methods {
namespace {

/// Schaffer's problem: the front is f_1 = x^2, f_2 = (x - 2)^2 for x in [0, 2].
std::vector<double> schaffer(const std::vector<double>& x) {
  double first = 0, second = 0;
  for (const double value : x) {
    first += value * value;
    second += (value - 2) * (value - 2);
  }
  return {first, second};
}

std::vector<Individual> population_of(std::size_t size, std::size_t dimensions, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Individual> all;
  for (std::size_t i = 0; i < size; ++i) {
    Individual one;
    for (std::size_t j = 0; j < dimensions; ++j) one.x.push_back(-10 + 20 * rng.uniform());
    one.f = schaffer(one.x);
    all.push_back(one);
  }
  return all;
}

TEST(Generation, IsAFunctionOfPopulationAndSeed) {
  const auto start = population_of(20, 3, 1);
  const std::vector<double> low(3, -10), high(3, 10);
  const Nsga2Options options;
  const auto once = next_generation(start, low, high, options, 7, schaffer);
  const auto again = next_generation(start, low, high, options, 7, schaffer);
  const auto other = next_generation(start, low, high, options, 8, schaffer);
  ASSERT_EQ(once.size(), 20u);
  bool differs = false;
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].x, again[i].x);
    EXPECT_EQ(once[i].f, schaffer(once[i].x));
    differs = differs || once[i].x != other[i].x;
    for (const double value : once[i].x) EXPECT_TRUE(value >= -10 && value <= 10);
  }
  EXPECT_TRUE(differs);
}

TEST(Generation, AfterGenerationApproachesTheFront) {
  auto population = population_of(20, 1, 2);
  const std::vector<double> low(1, -10), high(1, 10);
  for (std::uint64_t g = 0; g < 40; ++g) population = next_generation(population, low, high, {}, g, schaffer);
  for (const auto& one : population) EXPECT_TRUE(one.x[0] > -0.1 && one.x[0] < 2.1) << one.x[0];
}

TEST(Archive, HoldsTheNonDominatedAlone) {
  std::vector<Individual> archive;
  offer(archive, {{0}, {1, 3}}, 10);
  offer(archive, {{1}, {3, 1}}, 10);
  offer(archive, {{2}, {4, 4}}, 10);
  EXPECT_EQ(archive.size(), 2u) << "a dominated one is not taken";
  offer(archive, {{3}, {1, 3}}, 10);
  EXPECT_EQ(archive.size(), 2u) << "nor one that is equal";
  offer(archive, {{4}, {1, 1}}, 10);
  ASSERT_EQ(archive.size(), 1u) << "one that beats both replaces them";
  EXPECT_EQ(archive[0].x[0], 4);
}

TEST(Archive, KeepsItsSizeAndItsEnds) {
  std::vector<Individual> archive;
  for (int i = 0; i <= 20; ++i) offer(archive, {{i / 10.0}, schaffer({i / 10.0})}, 6);
  EXPECT_EQ(archive.size(), 6u);
  const auto has = [&](double x) {
    return std::any_of(archive.begin(), archive.end(), [x](const Individual& one) { return one.x[0] == x; });
  };
  EXPECT_TRUE(has(0) && has(2));
}

}  // namespace
}  // namespace moblo::methods
