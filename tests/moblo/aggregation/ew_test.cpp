#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

TEST(Ew, IsTheSumOfTheLosses) {
  for_each_case([](Family, const TaskGradients& rows) {
    const auto out = first_step("ew", rows);
    expect_same(out.direction, rows.colwise().sum().transpose(), 1e-14);
    EXPECT_EQ(out.weights.heads, Eigen::VectorXd::Ones(rows.rows()));
  });
}

TEST(Ew, CostsOneBackwardPass) {
  EXPECT_FALSE(Steps("ew", 3).weighting().needs().gramian);
}

}  // namespace
}  // namespace moblo::aggregation::testing
