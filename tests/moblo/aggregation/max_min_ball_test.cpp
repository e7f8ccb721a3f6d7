#include "moblo/qp/max_min_ball.hpp"

#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

struct Solved {
  Eigen::MatrixXd gramian;
  Eigen::VectorXd centre;
  double radius;
  qp::BallAnswer answer;
};

Solved solve(const TaskGradients& rows, double share) {
  Solved out{rows * rows.transpose(),
             Eigen::VectorXd::Constant(rows.rows(), 1.0 / static_cast<double>(rows.rows())),
             share * rows.colwise().mean().norm(),
             {}};
  out.answer = qp::MaxMinBallSolver().solve({out.gramian, out.centre, out.radius});
  return out;
}

TEST(MaxMinBall, IsCertifiedOnEveryFamily) {
  for (const double share : {0.1, 0.5, 0.9, 1.5}) {
    for_each_case(
        [&](Family family, const TaskGradients& rows) {
          const auto solved = solve(rows, share);
          EXPECT_TRUE(solved.answer.certified())
              << name_of(family) << " " << rows.rows() << " " << share << " " << solved.answer.kkt_residual;
        },
        12, 20);
  }
}

/// min_i <g_i, d> of the answer equals the dual value at w: neither can be improved.
TEST(MaxMinBall, PrimalAndDualValuesMeet) {
  for_each_case([](Family family, const TaskGradients& rows) {
    const auto [gramian, centre, radius, answer] = solve(rows, 0.5);
    ASSERT_TRUE(answer.certified());
    if (answer.scale == 0) return;
    const Eigen::VectorXd direction = rows.transpose() * answer.coefficients;
    const Eigen::VectorXd mixed = rows.transpose() * answer.weights, mean = rows.transpose() * centre;
    const double unit = longest(rows) * longest(rows);
    const bool on_sphere = mixed.norm() > radius * answer.scale * (1 - 1e-6);  // else the hull holds the origin
    const double primal = (rows * direction).minCoeff();
    const double dual = on_sphere ? mixed.dot(mean) + radius * mixed.norm() : 0;
    EXPECT_LE((direction - mean).norm(), radius * (1 + 1e-4) + 1e-12 * longest(rows)) << name_of(family);
    EXPECT_NEAR(primal, dual, 1e-6 * unit) << name_of(family) << " " << rows.rows();
  });
}

TEST(MaxMinBall, ResidualShowsADeliberateError) {
  Rng rng(13);
  auto [gramian, centre, radius, answer] = solve(make_gradients(Family::conflicted, 5, rng), 0.5);
  EXPECT_LE(answer.kkt_residual, 1e-13);
  qp::BallAnswer other = answer;
  other.scale *= 1 + 1e-3;
  EXPECT_GT(qp::kkt_residual({gramian, centre, radius}, other), 1e-8);
  other = answer;
  Eigen::Index largest = 0;
  other.weights.maxCoeff(&largest);
  other.weights(largest) -= 1e-3;
  other.weights((largest + 1) % 5) += 1e-3;
  EXPECT_GT(qp::kkt_residual({gramian, centre, radius}, other), 1e-8);
}

TEST(MaxMinBall, BadInputIsNoAnswer) {
  Eigen::Matrix2d gramian;
  gramian << 1, 5, 5, 1;
  const Eigen::VectorXd centre = Eigen::Vector2d(0.5, 0.5);
  const auto answer = qp::MaxMinBallSolver().solve({gramian, centre, 1});
  EXPECT_EQ(answer.status, qp::QpStatus::bad_input);
  EXPECT_TRUE(answer.coefficients.array().isNaN().all());
}

}  // namespace
}  // namespace moblo::aggregation::testing
