#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

TEST(GradDrop, KeepsOneSignInEveryCoordinate) {
  for_each_case([](Family, const TaskGradients& rows) {
    const auto direction = first_step("graddrop", rows).direction;
    const Eigen::VectorXd positive = rows.cwiseMax(0).colwise().sum(), negative = rows.cwiseMin(0).colwise().sum();
    const Eigen::ArrayXd rounding = 1e-13 * rows.cwiseAbs().colwise().sum().transpose().array();
    const auto kept = [&](const Eigen::VectorXd& part) {
      return ((direction - part).array().abs() <= rounding).eval();
    };
    EXPECT_TRUE((kept(positive) || kept(negative)).all());
  });
}

TEST(GradDrop, KeepsWhatAgrees) {
  Rng rng(7);
  const TaskGradients rows = -normal_rows(5, 300, rng).cwiseAbs();
  expect_same(first_step("graddrop", rows).direction, rows.colwise().sum().transpose(), 1e-14);
}

/// P = (1 + 1/3)/2 = 2/3 of the coordinates keep the 2s, the others the -1s.
TEST(GradDrop, DrawsTheSignByItsPurity) {
  constexpr Eigen::Index columns = 30000;
  TaskGradients rows(2, columns);
  rows.row(0).setConstant(2);
  rows.row(1).setConstant(-1);
  const auto direction = first_step("graddrop", rows).direction;
  const double share = static_cast<double>((direction.array() == 2).count()) / columns;
  EXPECT_NEAR(share, 2.0 / 3, 0.01);
}

TEST(GradDrop, LeaksTheGivenShareOfWhatItDrops) {
  TaskGradients rows(2, 200);
  rows.row(0).setConstant(2);
  rows.row(1).setConstant(-1);
  const auto direction = first_step("graddrop", rows, {{"leak", 0.25}}).direction;
  const auto is_near = [&](double value) { return ((direction.array() - value).abs() < 1e-15).eval(); };
  EXPECT_TRUE((is_near(1.75) || is_near(-0.5)).all());
  EXPECT_TRUE(is_near(1.75).any() && is_near(-0.5).any());
  expect_same(first_step("graddrop", rows, {{"leak", 1}}).direction, Eigen::VectorXd::Ones(200), 1e-15);
}

}  // namespace
}  // namespace moblo::aggregation::testing
