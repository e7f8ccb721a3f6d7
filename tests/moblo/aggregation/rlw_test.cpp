#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

TEST(Rlw, StaysOnTheSimplexAndIsFairOnAverage) {
  const TaskGradients rows = TaskGradients::Zero(3, 1);
  Steps steps("rlw", 3);
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  constexpr int draws = 20000;
  for (int k = 0; k < draws; ++k) {
    const auto weights = steps.next(rows).weights;
    EXPECT_NEAR(weights.shared.sum(), 1, 1e-14);
    EXPECT_GT(weights.shared.minCoeff(), 0);
    EXPECT_EQ(weights.shared, weights.heads);
    mean += weights.shared / draws;
  }
  EXPECT_LE((mean.array() - 1.0 / 3).abs().maxCoeff(), 0.01);
}

TEST(Rlw, DrawsByTheStepAndNotByItsHistory) {
  const TaskGradients rows = TaskGradients::Identity(3, 3);
  Steps walked("rlw", 3), jumped("rlw", 3);
  for (int k = 0; k < 5; ++k) walked.next(rows);
  jumped.at(5);
  const auto here = walked.next(rows);
  EXPECT_EQ(here.direction, jumped.next(rows).direction);
  EXPECT_NE(here.direction, walked.next(rows).direction);
}

/// The logs of the weights are normal numbers less a common one: their differences have a variance of 2.
TEST(Rlw, WeighsBySoftmaxOfNormalNumbers) {
  Steps steps("rlw", 2);
  double square = 0;
  constexpr int draws = 20000;
  for (int k = 0; k < draws; ++k) {
    const auto weights = steps.next(TaskGradients::Zero(2, 1)).weights.shared;
    square += std::pow(std::log(weights(0) / weights(1)), 2) / draws;
  }
  EXPECT_NEAR(square, 2, 0.1);
}

}  // namespace
}  // namespace moblo::aggregation::testing
