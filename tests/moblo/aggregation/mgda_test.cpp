#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

TEST(Mgda, DescendsForEveryTask) {
  for_each_case([](Family, const TaskGradients& rows) {
    const auto direction = first_step("mgda", rows).direction;
    const double square = direction.squaredNorm();
    const double slack = 1e-10 * longest(rows) * longest(rows);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) EXPECT_GE(rows.row(i).dot(direction), square - slack);
  });
}

TEST(Mgda, IsNoLongerThanAnyGradient) {
  for_each_case([](Family, const TaskGradients& rows) {
    const double shortest = rows.rowwise().norm().minCoeff();
    EXPECT_LE(first_step("mgda", rows).direction.norm(), shortest + 1e-7 * longest(rows));
  });
}

TEST(Mgda, StandsStillWhereGradientsAreOpposed) {
  Rng rng(1);
  const auto rows = make_gradients(Family::opposed, 4, rng);
  EXPECT_LE(first_step("mgda", rows).direction.norm(), 1e-12 * longest(rows));
}

TEST(Mgda, ByLengthDoesNotSeeTheScaleOfATask) {
  Rng rng(2);
  TaskGradients rows = make_gradients(Family::conflicted, 3, rng);
  const auto before = first_step("mgda", rows, {{"normalise", "l2"}}).direction;
  rows.row(1) *= 1e3;
  expect_same(before, first_step("mgda", rows, {{"normalise", "l2"}}).direction, 1e-9);
  EXPECT_GT((first_step("mgda", rows).direction - before).norm(), 1e-3);
}

TEST(Mgda, ByLossDividesEachGradientByIt) {
  Rng rng(3);
  const TaskGradients rows = make_gradients(Family::conflicted, 3, rng);
  const Eigen::Vector3d losses(0.5, 2, 7);
  const TaskGradients divided = losses.cwiseInverse().asDiagonal() * rows;
  Steps by_loss("mgda", 3, {{"normalise", "loss"}}), by_both("mgda", 3, {{"normalise", "loss+"}});
  expect_same(by_loss.next(rows, losses).direction, first_step("mgda", divided).direction, 1e-9);
  const Eigen::VectorXd sizes = rows.rowwise().norm();
  const TaskGradients unit = sizes.cwiseInverse().asDiagonal() * divided;
  expect_same(by_both.next(rows, losses).direction, first_step("mgda", unit).direction, 1e-9);
}

}  // namespace
}  // namespace moblo::aggregation::testing
