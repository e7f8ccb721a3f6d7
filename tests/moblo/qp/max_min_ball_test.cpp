#include "moblo/qp/max_min_ball.hpp"

#include <gtest/gtest.h>

namespace moblo::qp::testing::max_min_ball_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(MaxMinBall, ARadiusWhoseSquareUnderflowsIsNoPoint) {
  constexpr double scale = 0x1p-510;  // squares of rows have their digits, those of radius and reach have none
  const Eigen::MatrixXd gramian = scale * scale * Eigen::Matrix2d{{1, -0.5}, {-0.5, 4}};
  const Eigen::Vector2d centre(0x1p-60, 0x1p-60);
  MaxMinBallSolver solver;
  const BallAnswer& answer = solver.solve({gramian, centre, 0x1p-560});
  EXPECT_FALSE(answer.certified() && answer.scale == 0);  // the radius is 300 times the reach of the centre
}

TEST(MaxMinBall, ARadiusForWhichTheScaleOverflowsIsNotCertified) {
  const Eigen::MatrixXd gramian = Eigen::MatrixXd::Constant(1, 1, 1e53);
  const Eigen::VectorXd centre = Eigen::VectorXd::Zero(1);
  MaxMinBallSolver solver;
  EXPECT_EQ(solver.solve({gramian, centre, 1e-320}).status, QpStatus::not_certified);
}

TEST(MaxMinBall, ARadiusWhoseSquareHasLostItsDigitsHasATrueCertificate) {
  const Eigen::MatrixXd gramian = Eigen::MatrixXd::Constant(2, 2, 158.78125);
  const Eigen::Vector2d centre(0, 0x1p-970);
  for (const double radius : {8.819923133793517e-159, 0x1p-900, 0x1.8p900}) {
    MaxMinBallSolver solver;
    const BallAnswer& answer = solver.solve({gramian, centre, radius});
    ASSERT_TRUE(answer.certified()) << radius;
    EXPECT_NEAR(answer.scale * radius / std::sqrt(158.78125), 1, 1e-12) << radius;
    EXPECT_NEAR(answer.coefficients.sum() * std::sqrt(158.78125) / radius, 1, 1e-12) << radius;
  }
}

TEST(MaxMinBall, ACentreOnARowWithoutALengthIsBadInputWhereItCounts) {
  const Eigen::Matrix2d gramian{{1, 1e-155}, {1e-155, 1e-310}};
  MaxMinBallSolver solver;
  EXPECT_TRUE(solver.solve({gramian, Eigen::Vector2d(0.5, 0.5), 0.25}).certified());
  EXPECT_EQ(solver.solve({gramian, Eigen::Vector2d(0.5, 1e308), 0.25}).status, QpStatus::bad_input);
  EXPECT_TRUE(solver.solve({gramian, Eigen::Vector2d(0.5, 1e308), 1e290}).certified());
}

TEST(MaxMinBall, ACentreThatIsNotFiniteIsBadInput) {
  const Eigen::MatrixXd gramian = Eigen::Matrix2d::Identity();
  for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), 1e308}) {
    const Eigen::Vector2d centre(bad, bad);
    MaxMinBallSolver solver;
    const BallAnswer& answer = solver.solve({gramian, centre, 0.5});
    EXPECT_EQ(answer.status, QpStatus::bad_input) << bad;
    EXPECT_TRUE(answer.coefficients.array().isNaN().all());
  }
}

}  // namespace
}  // namespace moblo::qp::testing::max_min_ball_test
