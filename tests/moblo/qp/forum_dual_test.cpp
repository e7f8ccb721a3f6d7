#include "moblo/qp/forum_dual.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "families.hpp"
#include "moblo/qp/min_norm.hpp"

namespace moblo::qp::testing::forum_dual_test {
namespace {

constexpr int cases = 400;
constexpr double largest_rho = 1.5;
constexpr double reference_floor = 1e-8;

double random_floor(Random& random) {
  return uniform_index(random, 2) == 0 ? 0.0 : std::pow(10.0, uniform(random, -9, 2));
}

Solution solve(const Eigen::MatrixXd& gramian, double phi, Multiplier multiplier, double floor = 0) {
  ForumSolver solver;
  return solver.solve({gramian, phi, multiplier, floor});
}

class ForumDualOfEitherKind : public ::testing::TestWithParam<Multiplier> {};

TEST_P(ForumDualOfEitherKind, WeightsLieOnTheSimplexWithACertificate) {
  for_each_case(11, cases, [](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    const Eigen::MatrixXd gramian = gramian_of(rows);
    const double phi = phi_of(gramian, uniform(random, 0, largest_rho));
    const Solution solution = solve(gramian, phi, GetParam(), random_floor(random));
    ASSERT_TRUE(solution.certified()) << name_of(family) << " m=" << m;
    EXPECT_LE(solution.kkt_residual, tolerance.kkt_typical) << name_of(family) << " m=" << m;
    EXPECT_NEAR(solution.weights.sum(), 1, tolerance.simplex);
    EXPECT_GE(solution.weights.minCoeff(), 0);
    EXPECT_GE(solution.multiplier, 0);
  });
}

TEST_P(ForumDualOfEitherKind, PhiNeedNotBeTiedToTheConstraintGradient) {
  for_each_case(12, cases / 4, [](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    const double phi = std::pow(10.0, uniform(random, -10, 10));
    const Solution solution = solve(gramian_of(rows), phi, GetParam(), random_floor(random));
    ASSERT_TRUE(solution.certified()) << name_of(family) << " m=" << m;
    EXPECT_LE(solution.kkt_residual, tolerance.kkt) << name_of(family) << " m=" << m;
  });
}

TEST_P(ForumDualOfEitherKind, PermutedRowsGiveTheSameDirection) {
  for_each_case(13, cases / 4, [](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    std::vector<int> order(static_cast<std::size_t>(m));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    order.push_back(m);
    const Eigen::MatrixXd permuted = rows(order, Eigen::indexing::all);
    const double rho = uniform(random, 0, largest_rho);
    const Eigen::MatrixXd gramian = gramian_of(rows);
    const Eigen::MatrixXd permuted_gramian = gramian(order, order);
    const Solution a = solve(gramian, phi_of(gramian, rho), GetParam());
    const Solution b = solve(permuted_gramian, phi_of(gramian, rho), GetParam());
    const double scale =
        std::max(magnitude(rows, a.weights, a.multiplier), magnitude(permuted, b.weights, b.multiplier));
    const Eigen::VectorXd difference =
        combine(rows, a.weights, a.multiplier) - combine(permuted, b.weights, b.multiplier);
    EXPECT_LE(difference.norm(), tolerance.direction * scale) << name_of(family) << " m=" << m;
  });
}

TEST_P(ForumDualOfEitherKind, PositiveScalingLeavesTheAnswerAlone) {
  for_each_case(14, cases / 4, [](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    const Eigen::MatrixXd gramian = gramian_of(rows);
    const double phi = phi_of(gramian, uniform(random, 0, largest_rho));
    const double power_of_four = std::ldexp(1.0, 20);
    const Solution plain = solve(gramian, phi, GetParam());
    const Solution scaled = solve(power_of_four * gramian, power_of_four * phi, GetParam());
    EXPECT_EQ(plain.weights, scaled.weights) << name_of(family) << " m=" << m;
    EXPECT_EQ(plain.multiplier, scaled.multiplier) << name_of(family) << " m=" << m;
  });
}

TEST_P(ForumDualOfEitherKind, MultiplierIsZeroWhenConstraintInactive) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Identity(3, 3);
  rows.row(2) = Eigen::RowVector3d(1, 1, 0);  // q agrees with both objectives
  const Eigen::MatrixXd gramian = gramian_of(rows);
  const Solution solution = solve(gramian, 0, GetParam());
  EXPECT_EQ(solution.multiplier, 0);
  EXPECT_NEAR(solution.weights[0], solution.weights[1], tolerance.simplex);
}

TEST_P(ForumDualOfEitherKind, ZeroConstraintGradientLeavesTheMinNormProblem) {
  Random random(15);
  for (const int m : {1, 2, 3, 11}) {
    const Eigen::MatrixXd gramian = gramian_of(make_rows(Family::zero_constraint, m, random));
    MinNormSolver min_norm;
    const Solution solution = solve(gramian, largest_rho, GetParam());
    const Solution& expected = min_norm.solve(gramian.topLeftCorner(m, m));
    EXPECT_TRUE(solution.certified());
    EXPECT_LE((solution.weights - expected.weights).norm(), tolerance.direction);
    EXPECT_EQ(solution.multiplier, 0);
    EXPECT_EQ(constraint_multiplier({gramian, largest_rho, GetParam()}, solution.weights), 0);
  }
}

TEST_P(ForumDualOfEitherKind, MultiplierTimesTinyConstraintGradientStaysFinite) {
  for (const double length : {1e-8, 1e-60, 1e-150}) {
    Eigen::MatrixXd rows = Eigen::MatrixXd::Identity(3, 3);
    rows.row(2) = -length * Eigen::RowVector3d(1, 1, 1);
    const Eigen::MatrixXd gramian = gramian_of(rows);
    const Solution solution = solve(gramian, phi_of(gramian, 1), GetParam());
    ASSERT_TRUE(solution.certified()) << length;
    const double expected = 1 / std::sqrt(3.0);  // -<q,g>/|q| of either objective; phi/|q| vanishes
    EXPECT_NEAR(solution.multiplier * length * std::sqrt(3.0), expected, 2 * length + tolerance.relative) << length;
  }
}

TEST_P(ForumDualOfEitherKind, SmoothedMultiplierAgreesWithTheSolutionWherePositive) {
  for_each_case(16, cases / 4, [](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    const Eigen::MatrixXd gramian = gramian_of(rows);
    const double phi = phi_of(gramian, uniform(random, 0, largest_rho));
    const Solution solution = solve(gramian, phi, GetParam());
    const double nu = constraint_multiplier({gramian, phi, GetParam()}, solution.weights);
    const double scale = magnitude(rows, solution.weights, solution.multiplier);
    EXPECT_LE(std::abs(nu - solution.multiplier) * rows.row(m).norm(), tolerance.relative * scale)
        << name_of(family) << " m=" << m;
  });
}

INSTANTIATE_TEST_SUITE_P(Both, ForumDualOfEitherKind, ::testing::Values(Multiplier::paper, Multiplier::exact),
                         [](const auto& instance) { return instance.param == Multiplier::paper ? "paper" : "exact"; });

TEST(ForumDual, ExactDirectionDecreasesTheConstraintByPhi) {
  for_each_case(21, cases, [](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    if (family == Family::zero_constraint) return;
    const Eigen::MatrixXd gramian = gramian_of(rows);
    const double phi = phi_of(gramian, uniform(random, 0, largest_rho));
    const Solution s = solve(gramian, phi, Multiplier::exact);
    const double allowed = tolerance.relative * rows.row(m).norm() * magnitude(rows, s.weights, s.multiplier);
    EXPECT_LE(-rows.row(m).dot(combine(rows, s.weights, s.multiplier)), -phi + allowed) << name_of(family);
  });
}

TEST(ForumDual, PapersDirectionDecreasesTheConstraintByRhoSquareWherePositive) {
  for_each_case(22, cases, [](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    const Eigen::MatrixXd gramian = gramian_of(rows);
    const double phi = phi_of(gramian, uniform(random, 0, largest_rho));
    const Solution s = solve(gramian, phi, Multiplier::paper);
    if (s.multiplier == 0) return;
    const double allowed = tolerance.relative * rows.row(m).norm() * magnitude(rows, s.weights, s.multiplier);
    EXPECT_NEAR(-rows.row(m).dot(combine(rows, s.weights, s.multiplier)), -2 * phi, allowed) << name_of(family);
  });
}

TEST(ForumDual, KindsShareTheDirectionBesideTheConstraintWherePositive) {
  int compared = 0;
  for_each_case(23, cases, [&](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    const Eigen::MatrixXd gramian = gramian_of(rows);
    const double rho = uniform(random, 0, largest_rho);
    const Solution paper = solve(gramian, phi_of(gramian, rho), Multiplier::paper);
    const Solution exact = solve(gramian, phi_of(gramian, rho), Multiplier::exact);
    if (paper.multiplier == 0 || exact.multiplier == 0) return;
    ++compared;
    const double length = rows.row(m).norm();
    const double scale = magnitude(rows, paper.weights, paper.multiplier);
    EXPECT_LE(std::abs(paper.multiplier - exact.multiplier - rho / 2) * length, tolerance.direction * scale);
    const Eigen::VectorXd difference =
        combine(rows, paper.weights, paper.multiplier - rho / 2) - combine(rows, exact.weights, exact.multiplier);
    EXPECT_LE(difference.norm(), tolerance.direction * scale) << name_of(family) << " m=" << m;
    if (family == Family::random) {
      EXPECT_LE((paper.weights - exact.weights).norm(), tolerance.direction) << " m=" << m;
    }
  });
  EXPECT_GT(compared, cases);
}

TEST(ForumDual, SingleObjectiveIsBome) {
  Random random(24);
  for (int k = 0; k < cases; ++k) {
    const Eigen::MatrixXd rows = make_rows(Family::random, 1, random);
    const Eigen::MatrixXd gramian = gramian_of(rows);
    const double rho = uniform(random, 0, largest_rho);
    const Solution solution = solve(gramian, phi_of(gramian, rho), Multiplier::paper);
    const double square = gramian(1, 1);
    const double bome = std::max((rho * square - gramian(0, 1)) / square, 0.0);
    EXPECT_EQ(solution.weights[0], 1);
    EXPECT_NEAR(solution.multiplier, bome, tolerance.relative * (1 + bome));
  }
}

/// Past phi = lambda'b/2 of the min-norm point gamma can no longer be slack, and short of where the bound lets it grow
/// the optimum stays on the kink.
TEST(ForumDual, KinkOfTheBoundsIsSolvedExactly) {
  constexpr double just_past = 1.02;
  int at_kink = 0;
  int tried = 0;
  for (const int m : {2, 3, 5, 11, 40}) {
    Random random(25 + static_cast<std::uint64_t>(m));
    for (int k = 0; k < cases; ++k) {
      const Eigen::MatrixXd rows =
          make_rows(all_families[static_cast<std::size_t>(uniform_index(random, 6))], m, random);
      const Eigen::MatrixXd gramian = gramian_of(rows);
      MinNormSolver min_norm;
      const Eigen::VectorXd shortest = min_norm.solve(gramian.topLeftCorner(m, m)).weights;
      const double product = gramian.col(m).head(m).dot(shortest);
      const double scale = gramian.col(m).head(m).cwiseAbs().dot(shortest);
      if (product <= tolerance.direction * scale) continue;
      const double floor = uniform_index(random, 2) == 0 ? 0.0 : reference_floor;
      const double phi = just_past * product / 2;
      const Solution solution = solve(gramian, phi, Multiplier::paper, floor);
      ASSERT_TRUE(solution.certified());
      EXPECT_LE(solution.kkt_residual, tolerance.kkt_typical);
      ++tried;
      const double slack = 2 * phi - gramian.col(m).head(m).dot(solution.weights);
      at_kink += std::abs(slack) <= tolerance.relative * phi && solution.bound_multiplier > 0 &&
                 solution.bound_multiplier < phi;
    }
  }
  EXPECT_GT(tried, cases);
  EXPECT_GT(at_kink, tried / 2);
}

TEST(ForumDual, ProductsOfARowWithoutALengthDoNotCount) {
  const Eigen::Matrix2d gramian{{1.39e-309, 1.39e-309}, {1.39e-309, 0x1p-1006}};  // |q|^2 has its digits
  const Solution solution = solve(gramian, 0x1p-1008, Multiplier::paper, 1);
  ASSERT_TRUE(solution.certified());
  EXPECT_EQ(solution.multiplier, 0.25);
}

}  // namespace
}  // namespace moblo::qp::testing::forum_dual_test
