#include "moblo/qp/min_norm.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "families.hpp"

namespace moblo::qp::testing::min_norm_test {
namespace {

constexpr int cases = 400;

Eigen::MatrixXd objectives_only(const Eigen::MatrixXd& rows) {
  return gramian_of(rows.topRows(rows.rows() - 1));
}

TEST(MinNorm, WeightsLieOnTheSimplexWithACertificate) {
  for_each_case(1, cases, [](Family family, int m, const Eigen::MatrixXd& rows, Random&) {
    MinNormSolver solver;
    const Solution& solution = solver.solve(objectives_only(rows));
    ASSERT_TRUE(solution.certified()) << name_of(family) << " m=" << m;
    EXPECT_LE(solution.kkt_residual, tolerance.kkt_typical) << name_of(family) << " m=" << m;
    EXPECT_NEAR(solution.weights.sum(), 1, tolerance.simplex);
    EXPECT_GE(solution.weights.minCoeff(), 0);
  });
}

TEST(MinNorm, NegativeOfThePointIsACommonDescentDirection) {
  for_each_case(2, cases, [](Family family, int m, const Eigen::MatrixXd& rows, Random&) {
    MinNormSolver solver;
    const Eigen::VectorXd weights = solver.solve(objectives_only(rows)).weights;
    const Eigen::VectorXd point = combine(rows, weights, 0);
    const double scale = magnitude(rows, weights, 0);
    for (int i = 0; i < m; ++i) {
      const double allowed = tolerance.relative * (rows.row(i).norm() + scale) * scale;
      EXPECT_GE(rows.row(i).dot(point), point.squaredNorm() - allowed) << name_of(family) << " m=" << m;
    }
  });
}

TEST(MinNorm, PermutedRowsGiveTheSamePoint) {
  for_each_case(3, cases / 4, [](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    std::vector<int> order(static_cast<std::size_t>(m));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    order.push_back(m);
    const Eigen::MatrixXd permuted = rows(order, Eigen::indexing::all);
    MinNormSolver solver, permuted_solver;
    const Eigen::VectorXd weights = solver.solve(objectives_only(rows)).weights;
    const Eigen::VectorXd permuted_weights = permuted_solver.solve(objectives_only(permuted)).weights;
    const double scale = std::max(magnitude(rows, weights, 0), magnitude(permuted, permuted_weights, 0));
    const double distance = (combine(rows, weights, 0) - combine(permuted, permuted_weights, 0)).norm();
    EXPECT_LE(distance, tolerance.direction * scale) << name_of(family) << " m=" << m;
  });
}

TEST(MinNorm, PositiveScalingLeavesTheWeightsAlone) {
  for_each_case(4, cases / 4, [](Family family, int m, const Eigen::MatrixXd& rows, Random&) {
    const Eigen::MatrixXd gramian = objectives_only(rows);
    const double power_of_four = std::ldexp(1.0, 20);
    MinNormSolver solver, scaled_solver;
    const Solution& plain = solver.solve(gramian);
    const Solution& scaled = scaled_solver.solve(power_of_four * gramian);
    EXPECT_EQ(plain.weights, scaled.weights) << name_of(family) << " m=" << m;
  });
}

TEST(MinNorm, ZeroRowTakesTheWeight) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Identity(4, 4);
  rows.row(2).setZero();
  MinNormSolver solver;
  const Solution& solution = solver.solve(gramian_of(rows));
  EXPECT_EQ(solution.weights, Eigen::VectorXd::Unit(4, 2));
  EXPECT_EQ(solution.objective, 0);
}

TEST(MinNorm, NothingIsLeftBesideAZeroRowWhateverTheUnits) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Identity(4, 4);
  rows.row(0) << 1, 0.5, 0, 0;
  rows.row(2).setZero();
  rows.row(3) << -1e106, -3e106, 0, 6e106;
  for (const Attempt first : {Attempt::active_set, Attempt::extended_precision, Attempt::proximal}) {
    Options options;
    options.first_attempt = first;
    MinNormSolver solver(options);
    const Solution& solution = solver.solve(gramian_of(rows));
    ASSERT_TRUE(solution.certified());
    EXPECT_EQ(solution.weights, Eigen::VectorXd::Unit(4, 2));
  }
}

TEST(MinNorm, ProductsOfARowWithoutALengthDoNotCount) {
  const Eigen::Matrix2d gramian{{1, 1e-155}, {1e-155, 1e-310}};
  MinNormSolver solver;
  EXPECT_EQ(solver.solve(gramian).weights, Eigen::VectorXd::Unit(2, 1));
}

TEST(MinNorm, OppositeRowsCancel) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Identity(3, 3);
  rows.row(2) = -3 * rows.row(0);
  MinNormSolver solver;
  const Solution& solution = solver.solve(gramian_of(rows));
  EXPECT_NEAR(solution.objective, 0, tolerance.simplex);
  EXPECT_NEAR(solution.weights[0], 0.75, tolerance.simplex);
  EXPECT_NEAR(solution.weights[2], 0.25, tolerance.simplex);
}

TEST(MinNorm, OrthogonalRowsWeighInverseSquares) {
  const Eigen::VectorXd lengths{{1e-3, 1, 1e2, 1e5}};
  MinNormSolver solver;
  const Solution& solution = solver.solve(Eigen::MatrixXd(lengths.cwiseAbs2().asDiagonal()));
  const Eigen::VectorXd inverse_squares = lengths.cwiseAbs2().cwiseInverse();
  for (int i = 0; i < lengths.size(); ++i) {
    const double expected = inverse_squares[i] / inverse_squares.sum();
    EXPECT_NEAR(solution.weights[i], expected, tolerance.relative * expected);
  }
}

TEST(MinNorm, SingleRowHasWeightOne) {
  MinNormSolver solver;
  EXPECT_EQ(solver.solve(Eigen::MatrixXd::Constant(1, 1, 7.0)).weights[0], 1);
}

}  // namespace
}  // namespace moblo::qp::testing::min_norm_test
