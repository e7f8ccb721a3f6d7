// The problems with known truth know the truth: their closed forms against numbers.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "moblo/base/rng.hpp"
#include "moblo/conformance/double_well.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "moblo/conformance/synthetic.hpp"

namespace moblo::conformance {
namespace {

void set(ParameterPack& pack, const Eigen::VectorXd& values) {
  for (Eigen::Index i = 0; i < values.size(); ++i) pack.values()[i] = values(i);
}

std::vector<double> losses_at(Quadratic& problem, const Eigen::VectorXd& alpha, const Eigen::VectorXd& omega) {
  set(problem.upper(), alpha);
  set(problem.lower(), omega);
  std::vector<double> values;
  for (const auto& loss : problem.upper_losses({})) values.push_back(loss.item().toDouble());
  return values;
}

TEST(Quadratic, HypergradientsEqualDifferencesOfTheReducedObjectives) {
  Quadratic problem({.n = 3, .p = 4, .m = 2, .condition = 20}, 6);
  const Eigen::VectorXd alpha = problem.alpha();
  const auto rows = problem.hypergradients(alpha);
  const double h = 1e-5;
  for (Eigen::Index j = 0; j < 3; ++j) {
    Eigen::VectorXd up = alpha, down = alpha;
    up(j) += h;
    down(j) -= h;
    const auto high = losses_at(problem, up, problem.lower_solution(up));
    const auto low = losses_at(problem, down, problem.lower_solution(down));
    for (Eigen::Index i = 0; i < 2; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_NEAR(rows(i, j), (high[k] - low[k]) / (2 * h), 1e-8);
    }
  }
}

TEST(Quadratic, LowerSolutionMinimisesTheLowerLoss) {
  Quadratic problem({.n = 3, .p = 4, .m = 2, .condition = 50}, 1);
  set(problem.lower(), problem.lower_solution(problem.alpha()));
  EXPECT_NEAR(problem.lower_loss({}).item().toDouble(), 0, 1e-24);
}

TEST(Quadratic, LowerHessianHasTheAskedConditionNumber) {
  for (const double condition : {1.0, 10.0, 1000.0}) {
    Quadratic problem({.n = 2, .p = 6, .m = 2, .condition = condition}, 3);
    Eigen::MatrixXd hessian(6, 6);
    const Eigen::VectorXd alpha = problem.alpha(), at = problem.lower_solution(alpha);
    for (Eigen::Index i = 0; i < 6; ++i) {
      hessian.col(i) = problem.exact_constraint_gradient(alpha, at + Eigen::VectorXd::Unit(6, i)).tail(6);
    }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(hessian);
    EXPECT_NEAR(svd.singularValues()(0), 1, 1e-10);
    EXPECT_NEAR(svd.singularValues()(0) / svd.singularValues()(5), condition, 1e-8 * condition);
    EXPECT_GE(problem.lower_lipschitz(), 1);
  }
}

/// Where no direction of alpha improves all reduced objectives at once, and only there, the distance is zero.
TEST(Quadratic, SolutionSetIsWhereTheReducedGradientsBalance) {
  Quadratic problem({.n = 2, .p = 3, .m = 3}, 2);
  Rng rng(0);
  for (int trial = 0; trial < 50; ++trial) {
    const Eigen::Vector2d alpha(3 * rng.normal(), 3 * rng.normal());
    set(problem.upper(), alpha);
    set(problem.lower(), problem.lower_solution(alpha));
    const auto rows = problem.hypergradients(alpha);
    // In the plane: 0 is in the hull of three vectors iff they do not fit into an open half-plane.
    bool balanced = true;
    for (int i = 0; i < 3600 && balanced; ++i) {
      const double angle = i * M_PI / 1800;
      balanced = (rows * Eigen::Vector2d(std::cos(angle), std::sin(angle))).minCoeff() <= 0;
    }
    const double distance = *problem.distance_to_solution_set();
    EXPECT_EQ(distance < 1e-9, balanced) << "trial " << trial << ", distance " << distance;
  }
}

TEST(Synthetic, DistanceIsThatToTheSegment) {
  EXPECT_NEAR(*Synthetic({.alpha = 1.5, .omega = {1.5, 1.5}}).distance_to_solution_set(), 0, 1e-15);
  EXPECT_NEAR(*Synthetic({.alpha = 3, .omega = {3, 3}}).distance_to_solution_set(), std::sqrt(3), 1e-12);
  EXPECT_NEAR(*Synthetic({.alpha = 0, .omega = {0, 3}}).distance_to_solution_set(), std::sqrt(6), 1e-12);
}

TEST(DoubleWell, EndsOfTheStationaryIntervalsBalanceTheTilt) {
  DoubleWell problem({.tilt = 0.3});
  for (const auto& [low, high] : problem.stationary_intervals()) {
    EXPECT_LT(low, high);
    for (const double a : {low, high}) EXPECT_NEAR(std::abs(2 * a * a * a - 2 * a), 0.3, 1e-12);
  }
}

TEST(DoubleWell, DistanceVanishesOnTheIntervalsAndNowhereElse) {
  for (const double a : {-1.0, 0.0, 0.1, 1.0, 1.05}) {
    EXPECT_NEAR(*DoubleWell({.alpha = a, .omega = {a, a * a}}).distance_to_solution_set(), 0, 1e-8) << a;
  }
  EXPECT_GT(*DoubleWell({.alpha = 0.5, .omega = {0.5, 0.25}}).distance_to_solution_set(), 0.1);
  EXPECT_GT(*DoubleWell({.alpha = 1, .omega = {1, 2}}).distance_to_solution_set(), 0.4);
}

}  // namespace
}  // namespace moblo::conformance
