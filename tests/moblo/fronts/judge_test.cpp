#include "moblo/fronts/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "moblo/base/rng.hpp"

namespace moblo::fronts::judge_test {
namespace {

using Points = std::vector<Objectives>;

/// On the circle around (1, 1) that is convex towards the ideal point 0, from one axis' end to the other.
Points circle(int count) {
  Points points;
  for (int i = 0; i < count; ++i) {
    const double at = std::numbers::pi / 2 * i / (count - 1);
    points.push_back({1 - std::cos(at), 1 - std::sin(at)});
  }
  return points;
}

TEST(Judge, PointsAreDominatedByWhatIsNowhereWorse) {
  Rng rng(3);
  for (const std::size_t m : {2U, 3U, 5U}) {
    Points points;
    for (int i = 0; i < 60; ++i) {
      points.emplace_back();
      for (std::size_t j = 0; j < m; ++j) points.back().push_back(static_cast<double>(rng.below(6)));
    }
    points.push_back({});
    points.push_back(Objectives(m, std::numeric_limits<double>::quiet_NaN()));
    const auto flags = dominated(points);
    Points kept;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!flags[i]) kept.push_back(points[i]);
    }
    Points usable(points.begin(), points.end() - 2);
    auto front = aggregation::non_dominated(usable);
    std::sort(kept.begin(), kept.end());
    EXPECT_EQ(kept, front);
    EXPECT_TRUE(flags[60] && flags[61]);
  }
}

TEST(Judge, ReferencePointIsWorseThanEveryPoint) {
  EXPECT_EQ(reference_point({{0, 2}, {1, 2}, {}}), (Objectives{1.1, 2.2}));
  EXPECT_EQ(reference_point({{0, -2}}), (Objectives{1, -1.8}));
  EXPECT_TRUE(reference_point({{}}).empty());
}

TEST(Judge, KneeOfACircleIsItsMiddle) {
  EXPECT_EQ(knee(circle(21)), 10);
  // Beyond the chord there is none: every point trades worse than the two ends.
  Points bulge = circle(21);
  for (auto& point : bulge) point = {1 - point[0], 1 - point[1]};
  EXPECT_FALSE(knee(bulge));
  // Three objectives: the plane through the extremes; (0.2, 0.2, 0.2) is far below it, (0.3, 0.3, 0.35) less so.
  EXPECT_EQ(knee({{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0.3, 0.3, 0.35}, {0.2, 0.4, 0.2}}), 4);
  EXPECT_FALSE(knee({{1, 1}}));
  EXPECT_FALSE(knee({}));
}

TEST(Judge, ScaleOfAnObjectiveChangesNeitherKneeNorGap) {
  Points points = circle(9);
  points.erase(points.begin() + 3);
  Points scaled = points;
  for (auto& point : scaled) point = {5 + 1e4 * point[0], -2 + 1e-3 * point[1]};
  EXPECT_EQ(knee(points), knee(scaled));
  EXPECT_NEAR(*largest_gap(points), *largest_gap(scaled), 1e-9);
}

TEST(Judge, LargestGapOfTheCircleIsAChord) {
  const double step = std::numbers::pi / 2 / 20;
  EXPECT_NEAR(*largest_gap(circle(21)), 2 * std::sin(step / 2) / std::numbers::sqrt2, 1e-12);
  Points with_hole = circle(21);
  with_hole.erase(with_hole.begin() + 7, with_hole.begin() + 9);
  EXPECT_NEAR(*largest_gap(with_hole), 2 * std::sin(1.5 * step) / std::numbers::sqrt2, 1e-12);
  const auto widest = neighbours(with_hole).front();
  EXPECT_EQ(widest.a, 6U);
  EXPECT_EQ(widest.b, 7U);
  EXPECT_FALSE(largest_gap({{1, 1}}));
}

TEST(Judge, NeighboursOfALatticeAreThoseNextToEachOther) {
  Points lattice;
  for (int i = 0; i <= 4; ++i) {
    for (int j = 0; i + j <= 4; ++j) lattice.push_back({i / 4.0, j / 4.0, (4 - i - j) / 4.0});
  }
  const auto pairs = neighbours(lattice);
  EXPECT_EQ(pairs.size(), 30U) << "the edges of 16 small triangles";
  for (const auto& pair : pairs) EXPECT_NEAR(pair.distance, std::numbers::sqrt2 / 4, 1e-12);
}

TEST(Judge, IgdPlusIsZeroWhereTheTruthIsReachedOrBeaten) {
  const Points truth = circle(50);
  EXPECT_EQ(igd_plus(truth, truth), 0);
  EXPECT_EQ(igd_plus({{-1, -1}}, truth), 0);
  EXPECT_NEAR(igd_plus({{0.5, 2}}, {{0, 0}, {0.5, 1}}), (std::hypot(0.5, 2) + 1) / 2, 1e-12);
}

TEST(Judge, AFrontIsJudgedJointAndRefitted) {
  records::FrontRecord front;
  front.objectives = {"a", "b"};
  const Points joint{{0, 2}, {1, 1}, {2, 0}, {2, 2}, {}}, refitted{{0, 2}, {1, 1}, {3, 3}, {}, {}};
  for (std::size_t i = 0; i < joint.size(); ++i) {
    front.points.push_back({.index = static_cast<std::int64_t>(i),
                            .preference = {0.5, 0.5},
                            .losses = joint[i],
                            .refit_losses = refitted[i]});
  }
  judge(front);
  EXPECT_EQ(front.reference_point, (Objectives{3.3, 3.3}));
  EXPECT_NEAR(front.hypervolume, 3.3 * 1.3 + 2.3 * 1 + 1.3 * 1, 1e-12);
  EXPECT_NEAR(*front.refit_hypervolume, 3.3 * 1.3 + 2.3 * 1, 1e-12);
  EXPECT_EQ(front.extremes, (std::vector<std::int64_t>{0, 2}));
  EXPECT_FALSE(front.knee) << "(1, 1) lies on the chord";
  EXPECT_TRUE(front.points[3].dominated && front.points[4].dominated && !front.points[2].dominated);
  EXPECT_TRUE(*front.points[2].refit_dominated);
  EXPECT_FALSE(front.points[3].refit_dominated.has_value());
  ASSERT_EQ(front.hypervolume_history.size(), 5U);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_GE(front.hypervolume_history[i].hypervolume, front.hypervolume_history[i - 1].hypervolume);
  }
  judge(front, {10, 10});
  EXPECT_EQ(front.reference_point, (Objectives{10, 10}));
}

}  // namespace
}  // namespace moblo::fronts::judge_test
