#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

const Json gradient_only{{"variant", "gradient"}};

TEST(Imtl, HasEqualProjectionsOnAllUnitGradients) {
  for (const Family family : {Family::random, Family::conflicted, Family::orthogonal, Family::parallel,
                              Family::badly_scaled, Family::duplicates}) {
    for (const int m : all_sizes) {
      Rng rng(17);
      const auto rows = make_gradients(family, m, rng);
      const auto direction = first_step("imtl", rows, gradient_only).direction;
      const Eigen::VectorXd equal = projections(rows, direction);
      EXPECT_GT(equal.minCoeff(), 0) << name_of(family) << " " << m;
      EXPECT_LE(equal.maxCoeff() - equal.minCoeff(), 1e-7 * direction.norm()) << name_of(family) << " " << m;
    }
  }
}

TEST(Imtl, WeightsSumToOneWhereTheyAreAllPositive) {
  Rng rng(18);
  const auto rows = make_gradients(Family::orthogonal, 5, rng);
  EXPECT_NEAR(first_step("imtl", rows, gradient_only).weights.shared.sum(), 1, 1e-13);
}

TEST(Imtl, DirectionDoesNotSeeTheScaleOfATask) {
  Rng rng(19);
  TaskGradients rows = make_gradients(Family::random, 3, rng);
  const auto before = first_step("imtl", rows, gradient_only).direction;
  rows.row(2) *= 50;
  expect_same(before.normalized(), first_step("imtl", rows, gradient_only).direction.normalized(), 1e-12);
}

TEST(Imtl, OfParallelGradientsIsTheirHarmonicMean) {
  TaskGradients rows(2, 2);
  rows << 3, 4, 6, 8;  // lengths 5 and 10: 2 / (1/5 + 1/10)
  expect_same(first_step("imtl", rows, gradient_only).direction, 20.0 / 3 * Eigen::Vector2d(0.6, 0.8), 1e-13);
}

TEST(Imtl, StandsStillWhereOnlyZeroHasEqualProjections) {
  Rng rng(20);
  for (const int m : {2, 3, 11}) {
    const auto rows = make_gradients(Family::opposed, m, rng);
    EXPECT_LE(first_step("imtl", rows, gradient_only).direction.norm(), 1e-12 * longest(rows)) << m;
  }
}

TEST(Imtl, LeavesATaskWithoutAGradientOut) {
  Rng rng(21);
  const TaskGradients two = make_gradients(Family::random, 2, rng);
  TaskGradients three(3, two.cols());
  three << two.row(0), Eigen::RowVectorXd::Zero(two.cols()), two.row(1);
  const auto out = first_step("imtl", three, gradient_only);
  expect_same(out.direction, first_step("imtl", two, gradient_only).direction, 1e-13);
  EXPECT_EQ(out.weights.shared(1), 0);
  EXPECT_EQ(first_step("imtl", TaskGradients::Zero(2, 3), gradient_only).direction, Eigen::Vector3d::Zero());
}

/// A short gradient between two long ones has a negative weight that outweighs theirs: divided by their sum, the
/// direction would climb.
TEST(Imtl, NeverTurnsRound) {
  TaskGradients rows(3, 3);
  rows << 10, 0, 0, 0, 10, 0, 0.007, 0.007, 0.001;
  const auto out = first_step("imtl", rows, gradient_only);
  EXPECT_LT(out.weights.shared.sum(), 0);
  EXPECT_GT(projections(rows, out.direction).minCoeff(), 0);
  EXPECT_LE(out.weights.shared.lpNorm<1>(), 100 * (1 + 1e-12));
}

TEST(Imtl, ScalesTendToTheInverseLosses) {
  const Eigen::Vector3d losses(0.1, 1, 8);
  Steps steps("imtl", 3, {{"variant", "loss"}, {"step_size", 0.02}});
  EXPECT_FALSE(steps.weighting().needs().gramian);
  TaskWeights weights;
  for (int k = 0; k < 3000; ++k) weights = steps.next(TaskGradients::Zero(3, 1), losses).weights;
  expect_same(weights.shared.cwiseProduct(losses), Eigen::Vector3d::Ones(), 1e-3);
  EXPECT_EQ(weights.shared, weights.heads);
}

TEST(Imtl, BothBalanceTheScaledLosses) {
  Rng rng(22);
  const auto rows = make_gradients(Family::random, 3, rng);
  const Eigen::Vector3d losses(0.1, 1.5, 8);
  Steps both("imtl", 3), loss("imtl", 3, {{"variant", "loss"}});
  for (int k = 0; k < 50; ++k) {
    const auto scaled = loss.next(rows, losses).weights.heads;
    const auto out = both.next(rows, losses);
    EXPECT_EQ(out.weights.heads, scaled);
    const TaskGradients scaled_rows = scaled.asDiagonal() * rows;
    expect_same(out.direction, first_step("imtl", scaled_rows, gradient_only).direction, 1e-11);
  }
}

}  // namespace
}  // namespace moblo::aggregation::testing
