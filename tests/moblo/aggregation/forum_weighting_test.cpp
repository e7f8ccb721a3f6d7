#include "moblo/aggregation/forum_weighting.hpp"

#include <gtest/gtest.h>

namespace moblo::aggregation::testing {
namespace {

/// Gramian of g_1 = (1, 0, b_1 / |q|), g_2 = (0, 1, b_2 / |q|), q = (0, 0, |q|).
Eigen::MatrixXd two_against(double b_1, double b_2, double length) {
  Eigen::MatrixXd rows(3, 3);
  rows << 1, 0, b_1 / length, 0, 1, b_2 / length, 0, 0, length;
  return rows * rows.transpose();
}

ForumWeights weigh(const Eigen::MatrixXd& gramian, const ForumWeightingOptions& options) {
  ForumWeighting forum(options);
  forum.start(gramian.rows() - 1);
  return forum.weigh(gramian, 1);
}

/// s = 1, b = 1: pi = rho - b / (s + floor) = 3 - 1/2, not (rho s - b) / (s + floor) = 1.
TEST(ForumWeighting, FloorStandsBelowTheProductAlone) {
  Eigen::Matrix2d gramian;
  gramian << 4, 1, 1, 1;
  EXPECT_DOUBLE_EQ(weigh(gramian, {.rho = 3, .q_floor = 1}).nu, 2.5);
  EXPECT_DOUBLE_EQ(weigh(gramian, {.rho = 3}).nu, 2);
}

/// floor = 3, rho = 1: phi = rho/2 (1 + 3) = 2, so gamma = phi - beta is above lambda'pi, and lambda minimises
/// (lambda_1^2 + lambda_2^2) / 2 + phi (b_1 lambda_1 + b_2 lambda_2): lambda_2 - lambda_1 = phi (b_1 - b_2) = 0.4.
/// beta = lambda'b = -0.04, nu = rho - beta / 4.
TEST(ForumWeighting, ConstantOfTheProblemHasTheFloorToo) {
  const ForumWeights weights = weigh(two_against(0.1, -0.1, 1), {.rho = 1, .q_floor = 3});
  EXPECT_NEAR(weights.solved(0), 0.3, 1e-14);
  EXPECT_NEAR(weights.solved(1), 0.7, 1e-14);
  EXPECT_NEAR(weights.nu, 1.01, 1e-14);
  EXPECT_LE(weights.residual, 1e-14);
}

/// The reference profile's 1e-8 where |grad q|^2 is 1e-8 as well: phi = rho 1e-8, hence phi / |q| = rho 1e-4 and
/// lambda_2 - lambda_1 = rho 1e-4 (b_1 - b_2) / |q| = 1e-5 in the free piece; nu = rho - beta / 2e-8.
TEST(ForumWeighting, ReferenceFloorNearTheSolution) {
  const double length = 1e-4, along = 0.1 * length;
  const ForumWeights weights = weigh(two_against(along, -along, length), {.rho = 0.5, .q_floor = 1e-8});
  const double beta = (weights.solved(0) - weights.solved(1)) * along;
  EXPECT_NEAR(weights.nu, 0.5 - beta / 2e-8, 1e-9);
  EXPECT_NEAR(weights.solved(1) - weights.solved(0), 1e-5, 1e-12);
  EXPECT_LE(weights.residual, 1e-14);
}

/// There 1/2 |.|^2 - gamma phi has no minimum in gamma; q plays no role, with and without a floor.
TEST(ForumWeighting, ConstraintGradientOfZeroPlaysNoRole) {
  for (const double floor : {0.0, 1e-8}) {
    Eigen::MatrixXd gramian = Eigen::Vector3d(1, 3, 0).asDiagonal();
    const ForumWeights weights = weigh(gramian, {.rho = 0.5, .q_floor = floor});
    EXPECT_NEAR(weights.solved(0), 0.75, 1e-15);
    EXPECT_EQ(weights.nu, 0);
  }
}

}  // namespace
}  // namespace moblo::aggregation::testing
