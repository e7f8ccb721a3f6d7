#include "moblo/qp/residual.hpp"

#include <gtest/gtest.h>

#include "families.hpp"
#include "moblo/qp/forum_dual.hpp"
#include "moblo/qp/min_norm.hpp"

namespace moblo::qp::testing::residual_test {
namespace {

constexpr int cases = 200;
constexpr double rho = 0.5;

/// Moves some weight from the heaviest objective to another one.
Eigen::VectorXd perturbed(Eigen::VectorXd weights, Random& random) {
  Eigen::Index heaviest = 0;
  weights.maxCoeff(&heaviest);
  const auto m = static_cast<int>(weights.size());
  const int other = (static_cast<int>(heaviest) + 1 + uniform_index(random, m - 1)) % m;
  weights[heaviest] -= tolerance.perturbation;
  weights[other] += tolerance.perturbation;
  return weights;
}

TEST(Residual, RisesWhenMinNormWeightsAreWrong) {
  Random random(41);
  for (const int m : {2, 3, 5, 11}) {
    for (int k = 0; k < cases; ++k) {
      const Eigen::MatrixXd rows = make_rows(Family::random, m, random);
      const Eigen::MatrixXd gramian = gramian_of(rows.topRows(m));
      MinNormSolver solver;
      const Eigen::VectorXd weights = solver.solve(gramian).weights;
      EXPECT_LE(kkt_residual(gramian, weights), tolerance.kkt_typical);
      EXPECT_GE(kkt_residual(gramian, perturbed(weights, random)), tolerance.visible_residual) << "m=" << m;
    }
  }
}

TEST(Residual, RisesWhenAnyPartOfForumsAnswerIsWrong) {
  Random random(42);
  for (const Multiplier multiplier : {Multiplier::paper, Multiplier::exact}) {
    for (const int m : {2, 3, 5, 11}) {
      for (int k = 0; k < cases; ++k) {
        const Eigen::MatrixXd gramian = gramian_of(make_rows(Family::random, m, random));
        const ForumDual problem{gramian, phi_of(gramian, rho), multiplier};
        ForumSolver solver;
        const Solution& s = solver.solve(problem);
        const double gamma = s.multiplier;
        const double dual = s.bound_multiplier;
        const double error = tolerance.perturbation;
        EXPECT_LE(kkt_residual(problem, {s.weights, gamma, dual}), tolerance.kkt_typical);
        EXPECT_GE(kkt_residual(problem, {perturbed(s.weights, random), gamma, dual}), tolerance.visible_residual);
        EXPECT_GE(kkt_residual(problem, {s.weights, gamma + error, dual}), tolerance.visible_residual);
        EXPECT_GE(kkt_residual(problem, {s.weights, gamma - error, dual}), tolerance.visible_residual);
        if (multiplier == Multiplier::paper && gamma > error) {
          const double wrong_dual = (1 + error) * dual;
          EXPECT_GE(kkt_residual(problem, {s.weights, gamma, wrong_dual}), tolerance.visible_residual);
        }
      }
    }
  }
}

TEST(Residual, RisesWhenTheWeightIsOnTheWrongScale) {
  const Eigen::MatrixXd gramian = Eigen::Vector2d(1e-20, 1e30).asDiagonal();
  EXPECT_LE(kkt_residual(gramian, Eigen::Vector2d(1, 0)), tolerance.kkt_typical);
  EXPECT_GE(kkt_residual(gramian, Eigen::Vector2d(0, 1)), tolerance.visible_residual);
  EXPECT_GE(kkt_residual(gramian, Eigen::Vector2d(0.5, 0.5)), tolerance.visible_residual);
}

TEST(Residual, OfAnAnswerOffTheSimplexIsTheDistance) {
  const Eigen::MatrixXd gramian = Eigen::MatrixXd::Identity(2, 2);
  EXPECT_GE(kkt_residual(gramian, Eigen::Vector2d(1, 1)), 1);
  EXPECT_GE(kkt_residual(gramian, Eigen::Vector2d(1.5, -0.5)), 0.5);
}

TEST(Residual, OfNanOrAnotherSizeIsInfinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Eigen::MatrixXd gramian = Eigen::MatrixXd::Identity(3, 3);
  EXPECT_EQ(kkt_residual(gramian, Eigen::Vector3d(nan, 0.5, 0.5)), infinity);
  EXPECT_EQ(kkt_residual(gramian, Eigen::Vector2d(0.5, 0.5)), infinity);
  const ForumDual problem{gramian, 0.5};
  EXPECT_EQ(kkt_residual(problem, {Eigen::Vector2d(0.5, 0.5), nan, 0}), infinity);
  EXPECT_EQ(kkt_residual(problem, {Eigen::Vector3d(0.5, 0.5, 0), 0, 0}), infinity);
}

}  // namespace
}  // namespace moblo::qp::testing::residual_test
