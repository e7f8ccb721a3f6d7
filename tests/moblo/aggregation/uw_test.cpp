#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

const TaskGradients no_gradients = TaskGradients::Zero(3, 1);

TEST(Uw, StartsFromEqualWeights) {
  const auto out = first_step("uw", no_gradients, {{"start", -0.5}});
  EXPECT_EQ(out.weights.shared, Eigen::VectorXd::Constant(3, 0.5 * std::exp(0.5)));
  EXPECT_EQ(out.weights.heads, out.weights.shared);
}

TEST(Uw, TendsToHalfTheInverseLosses) {
  const Eigen::Vector3d losses(0.02, 1, 30);
  Steps steps("uw", 3, {{"step_size", 0.02}});
  Eigen::VectorXd weights;
  for (int k = 0; k < 4000; ++k) weights = steps.next(no_gradients, losses).weights.shared;
  expect_same(weights.cwiseProduct(losses), Eigen::Vector3d::Constant(0.5), 1e-3);
}

TEST(Uw, MovesTheScalesByAboutTheStepSize) {
  Steps steps("uw", 3, {{"step_size", 1e-2}});
  const Eigen::VectorXd before = steps.next(no_gradients, Eigen::Vector3d(1e-9, 5, 1e9)).weights.shared;
  const Eigen::VectorXd after = steps.next(no_gradients, Eigen::Vector3d(1e-9, 5, 1e9)).weights.shared;
  const Eigen::VectorXd moved = (before.array() / after.array()).log();
  EXPECT_NEAR(moved(0), -1e-2, 1e-6) << "a small loss gains weight";
  EXPECT_NEAR(moved(1), 1e-2, 1e-6);
  EXPECT_NEAR(moved(2), 1e-2, 1e-6);
}

}  // namespace
}  // namespace moblo::aggregation::testing
