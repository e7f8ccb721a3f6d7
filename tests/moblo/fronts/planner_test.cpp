#include "moblo/fronts/planner.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "moblo/base/error.hpp"
#include "moblo/fronts/judge.hpp"

namespace moblo::fronts::planner_test {
namespace {

using Wave = std::vector<PlannedPoint>;

Summary done(std::vector<double> losses) {
  Summary summary;
  summary.status = RunStatus::completed;
  summary.losses = std::move(losses);
  return summary;
}

/// Where the ray 1/r meets the unit sphere: a front that bulges away from the ideal point.
std::vector<double> on_sphere(const PointTarget& target) {
  std::vector<double> losses;
  double square = 0;
  for (const double r : target.preference) square += 1 / r / r;
  for (const double r : target.preference) losses.push_back(1 / r / std::sqrt(square));
  return losses;
}

/// All waves, each point ended on the sphere.
std::vector<Wave> run(FrontPlanner& planner) {
  std::vector<Wave> waves;
  for (Wave wave = planner.next(); !wave.empty(); wave = planner.next()) {
    // The last of a wave may end first: nothing may depend on it.
    for (auto point = wave.rbegin(); point != wave.rend(); ++point) {
      planner.ended(point->index, done(on_sphere(point->target)));
    }
    waves.push_back(std::move(wave));
  }
  return waves;
}

std::vector<std::string> names(std::size_t m) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < m; ++i) all.push_back(fmt::format("F{}", i + 1));
  return all;
}

TEST(Planner, StartsFormATreeOfLogarithmicDepthWithTheWholeSpreadInIt) {
  for (const std::size_t m : {2U, 3U, 4U}) {
    for (const std::int64_t roots : {1, 2, 5}) {
      FrontPlanner planner({.points = 40, .roots = roots}, names(m));
      const auto waves = run(planner);
      const auto spread = spread_preferences(static_cast<std::int64_t>(m), 40);
      EXPECT_LE(waves.size(), 2 + std::ceil(std::log2(spread.size() / static_cast<double>(roots))));
      std::vector<Preference> planned;
      std::size_t before = 0;
      for (const auto& wave : waves) {
        for (const auto& point : wave) {
          EXPECT_EQ(point.index, planned.size());
          EXPECT_EQ(point.start.has_value(), before > 0);
          if (point.start) {
            EXPECT_LT(*point.start, before) << "of an earlier wave";
            for (std::size_t i = 0; i < before; ++i) {
              EXPECT_LE(angle(planned[*point.start], point.target.preference),
                        angle(planned[i], point.target.preference) + 1e-9);
            }
          }
          planned.push_back(point.target.preference);
        }
        before = planned.size();
      }
      EXPECT_EQ(std::min<std::size_t>(static_cast<std::size_t>(roots), 40), waves.front().size());
      auto sorted = spread;
      std::sort(sorted.begin(), sorted.end());
      std::sort(planned.begin(), planned.end());
      EXPECT_EQ(planned, sorted);
      EXPECT_EQ(planner.stopped_because(), "all points done");
    }
  }
}

TEST(Planner, NothingBeginsAtTheEndOfAPointThatEndedBadly) {
  FrontPlanner planner({.points = 9, .roots = 3}, names(2));
  auto wave = planner.next();
  Summary bad;
  bad.status = RunStatus::non_finite;
  planner.ended(0, bad);
  planner.ended(1, done(on_sphere(wave[1].target)));
  planner.ended(2, bad);
  for (const auto& point : planner.next()) EXPECT_EQ(point.start, 1U);
  const auto front = planner.record("running");
  EXPECT_TRUE(front.points[0].dominated && front.points[0].losses.empty());
  EXPECT_EQ(front.points[0].status, "non_finite");
  EXPECT_EQ(front.points[4].status, "not started");
}

TEST(Planner, RefinementHalvesTheWidestGapsAndKeepsToTheBudget) {
  for (const std::size_t m : {2U, 3U}) {
    FrontPlanner planner({.points = 24, .refine = true, .rounds = 3, .tolerance = 0}, names(m));
    std::vector<std::vector<double>> losses;
    double gap_before = 2;
    std::int64_t round = 0;
    for (auto wave = planner.next(); !wave.empty(); wave = planner.next()) {
      if (wave.front().round > round) {
        round = wave.front().round;
        const auto pairs = neighbours(losses);
        gap_before = pairs.front().distance;
      }
      for (const auto& point : wave) {
        losses.push_back(on_sphere(point.target));
        planner.ended(point.index, done(losses.back()));
      }
    }
    EXPECT_LE(losses.size(), 24U);
    EXPECT_GT(losses.size(), 12U);
    EXPECT_GT(round, 0);
    EXPECT_LE(neighbours(losses).front().distance, gap_before + 1e-9);
    EXPECT_EQ(planner.record("").rounds, round + 1);
  }
}

TEST(Planner, RefinementEndsWhereARoundAddsLittle) {
  FrontPlanner planner({.points = 200, .refine = true, .rounds = 50, .tolerance = 0.01}, names(2));
  const auto waves = run(planner);
  EXPECT_NE(planner.stopped_because().find("0.01 of the hypervolume"), std::string::npos) << planner.stopped_because();
  EXPECT_LT(planner.record("").points.size(), 200U);
}

TEST(Planner, AFrontWithAHoleIsNotHalvedForEver) {
  FrontPlanner planner({.points = 400, .refine = true, .rounds = 200, .tolerance = 0}, names(2));
  for (auto wave = planner.next(); !wave.empty(); wave = planner.next()) {
    for (const auto& point : wave) {  // two points are all there is
      const bool first = point.target.preference[0] > point.target.preference[1];
      planner.ended(point.index, done(first ? std::vector<double>{0, 1} : std::vector<double>{1, 0}));
    }
  }
  EXPECT_EQ(planner.stopped_because(), "no gap is left that a preference could halve");
}

TEST(Planner, RefinementGoesOnBesideAPointThatIsDominated) {
  FrontPlanner planner({.points = 12, .refine = true, .rounds = 6, .tolerance = 0, .roots = 12}, names(2));
  // All of the spread but the last point end beside the first extreme and a little above it: their middle is known.
  for (Wave wave = planner.next(); !wave.empty(); wave = planner.next()) {
    for (const auto& point : wave) {
      const auto& r = point.target.preference;
      const double ratio = r[0] / r[1];  // 1000 where only F1 matters, 0.001 where only F2 does
      const bool stuck = ratio > 0.2;
      planner.ended(point.index,
                    done(stuck ? std::vector{1 - 1e-3 * (ratio > 900), 9.0} : std::vector{2 - ratio, 20 * ratio}));
    }
  }
  EXPECT_EQ(planner.stopped_because(), "all points done");
  EXPECT_EQ(planner.record("").points.size(), 12U);
}

TEST(Planner, LexicographicOrderLimitsWhatCameBefore) {
  FrontPlanner planner({.order = {"F3", "F1"}, .slack = {0.25}}, names(3));
  auto wave = planner.next();
  ASSERT_EQ(wave.size(), 1U);
  EXPECT_GT(wave[0].target.preference[2], 0.99);
  EXPECT_TRUE(wave[0].target.limits.empty());
  EXPECT_FALSE(wave[0].start);
  planner.ended(0, done({7, 8, 0.5}));
  wave = planner.next();
  ASSERT_EQ(wave.size(), 1U);
  EXPECT_GT(wave[0].target.preference[0], 0.99);
  EXPECT_EQ(wave[0].target.limits_json(), (Json{{"F3", 0.75}}));
  EXPECT_EQ(wave[0].start, 0U);
  planner.ended(1, done({1, 8, 0.75}));
  EXPECT_TRUE(planner.next().empty());
  EXPECT_EQ(planner.record("").points[1].warm_start_from, 0);
}

TEST(Planner, RefusesOptionsThatDoNotFit) {
  EXPECT_THROW(FrontPlanner({.order = {"gap"}}, names(2)), Error);
  EXPECT_THROW(FrontPlanner({.order = {"F1", "F1"}}, names(2)), Error);
  EXPECT_THROW(FrontPlanner({.refine = true, .order = {"F1"}}, names(2)), Error);
  EXPECT_THROW(FrontPlanner({.slack = {0.1}}, names(2)), Error);
  EXPECT_THROW(FrontPlanner({.order = {"F1", "F2"}, .slack = {0.1, 0.1}}, names(2)), Error);
  EXPECT_THROW(FrontPlanner({.reference_point = {1}}, names(2)), Error);
  EXPECT_THROW(FrontPlanner({.points = 0}, names(2)), Error);
  EXPECT_THROW(FrontPlanner({.warm_iterations = 0}, names(2)), Error);
  EXPECT_THROW(FrontPlanner({}, names(1)), Error);
}

}  // namespace
}  // namespace moblo::fronts::planner_test
