#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

double cosine(const TaskGradients& rows) {
  return rows.row(0).dot(rows.row(1)) / rows.row(0).norm() / rows.row(1).norm();
}

TaskGradients at_angle(double cosine) {
  TaskGradients rows(2, 2);
  rows << 2, 0, 3 * cosine, 3 * std::sqrt(1 - cosine * cosine);
  return rows;
}

TEST(GradVac, TakesConflictsAwayAtFirst) {
  const auto rows = at_angle(-0.6);
  expect_same(first_step("gradvac", rows).direction, first_step("pcgrad", rows).direction, 1e-12);
  expect_same(first_step("gradvac", at_angle(0.6)).direction, at_angle(0.6).colwise().sum().transpose(), 1e-14);
}

/// The target after cosines c_1, c_2 with b = 1/2 is c_1/4 + c_2/2, whether or not a pair was turned.
TEST(GradVac, TurnsAPairToTheMovingAverageOfItsCosines) {
  Steps steps("gradvac", 2);
  steps.next(at_angle(0.8));
  steps.next(at_angle(0.6));
  const double target = 0.8 / 4 + 0.6 / 2;
  const auto rows = at_angle(-0.3);
  const auto weights = steps.next(rows).weights.shared;
  // sum = (1 + b) g_1 + (1 + a) g_2 with g_1 + a g_2 and g_2 + b g_1 at the target's angle
  const Eigen::RowVectorXd first = rows.row(0) + (weights(1) - 1) * rows.row(1);
  const Eigen::RowVectorXd second = rows.row(1) + (weights(0) - 1) * rows.row(0);
  EXPECT_NEAR(first.dot(rows.row(1)) / first.norm() / rows.row(1).norm(), target, 1e-12);
  EXPECT_NEAR(second.dot(rows.row(0)) / second.norm() / rows.row(0).norm(), target, 1e-12);
}

TEST(GradVac, LearnsFromPairsThatItLeavesAlone) {
  Steps steps("gradvac", 2);
  for (int k = 0; k < 3; ++k) steps.next(at_angle(0.9));  // above any target: never turned
  const auto rows = at_angle(0.1);
  EXPECT_GT((steps.next(rows).direction - rows.colwise().sum().transpose()).norm(), 0.1);
}

TEST(GradVac, SurvivesTargetsOfOne) {
  Steps steps("gradvac", 2);
  for (int k = 0; k < 100; ++k) steps.next(at_angle(1));
  EXPECT_TRUE(steps.next(at_angle(-0.5)).direction.allFinite());
}

TEST(GradVac, NeverMakesTwoTasksConflictMore) {
  Steps steps("gradvac", 2);
  Rng rng(8);
  for (int k = 0; k < 50; ++k) {
    const auto rows = make_gradients(Family::random, 2, rng);
    const auto weights = steps.next(rows).weights.shared;
    EXPECT_GE(weights.minCoeff(), 1) << cosine(rows);
  }
}

}  // namespace
}  // namespace moblo::aggregation::testing
