#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

TEST(CaGrad, StaysWithinItsDistanceOfTheMean) {
  for_each_case([](Family, const TaskGradients& rows) {
    const Eigen::VectorXd mean = rows.colwise().mean().transpose();
    const auto direction = first_step("cagrad", rows, {{"rescale", false}}).direction;
    EXPECT_LE((direction - mean).norm(), 0.5 * mean.norm() * (1 + 1e-6) + 1e-12 * longest(rows));
  });
}

TEST(CaGrad, HelpsTheWorstTaskMoreThanAnyOtherDirectionThere) {
  Rng rng(14);
  for (const int m : {2, 3, 11}) {
    const auto rows = make_gradients(Family::conflicted, m, rng);
    const Eigen::VectorXd mean = rows.colwise().mean().transpose();
    const auto direction = first_step("cagrad", rows, {{"rescale", false}}).direction;
    const double worst = (rows * direction).minCoeff();
    EXPECT_GT(worst, (rows * mean).minCoeff());
    for (int k = 0; k < 2000; ++k) {  // nearby points of the ball
      Eigen::VectorXd other = direction + 0.2 * rng.uniform() * mean.norm() *
                                              normal_rows(1, rows.cols(), rng).row(0).transpose().normalized();
      const double distance = (other - mean).norm(), radius = 0.5 * mean.norm();
      if (distance > radius) other = mean + radius / distance * (other - mean);
      EXPECT_LE((rows * other).minCoeff(), worst + 1e-12);
    }
  }
}

TEST(CaGrad, WithoutARadiusIsTheMean) {
  Rng rng(15);
  const auto rows = make_gradients(Family::conflicted, 3, rng);
  expect_same(first_step("cagrad", rows, {{"radius", 0}}).direction, rows.colwise().mean().transpose(), 1e-14);
}

TEST(CaGrad, RescalesByOneAndTheSquareOfTheRadius) {
  Rng rng(16);
  const auto rows = make_gradients(Family::conflicted, 3, rng);
  const auto plain = first_step("cagrad", rows, {{"radius", 0.4}, {"rescale", false}}).direction;
  expect_same(1.16 * first_step("cagrad", rows, {{"radius", 0.4}}).direction, plain, 1e-13);
}

TEST(CaGrad, WithALargeRadiusHurtsNone) {
  for_each_case([](Family family, const TaskGradients& rows) {
    const auto direction = first_step("cagrad", rows, {{"radius", 1}}).direction;
    EXPECT_GE(projections(rows, direction).minCoeff(), -1e-6 * longest(rows)) << name_of(family) << " " << rows.rows();
  });
}

/// The hull of g, -g and h holds the origin: no d helps all three, and the nearest to the mean that hurts none is its
/// part along h.
TEST(CaGrad, WhereNoDirectionHelpsAllHurtsNone) {
  TaskGradients rows(3, 2);
  rows << 1, 0, -0.8, 0, 0, 3;
  const auto direction = first_step("cagrad", rows, {{"rescale", false}}).direction;
  expect_same(direction, Eigen::Vector2d(0, 1), 1e-12);
}

}  // namespace
}  // namespace moblo::aggregation::testing
