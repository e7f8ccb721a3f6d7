#include <gtest/gtest.h>

#include <cstdlib>

#include "families.hpp"
#include "moblo/qp/forum_dual.hpp"
#include "moblo/qp/min_norm.hpp"
#include "moblo/qp/unit.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MOBLO_COUNT_ALLOCATIONS
// Eigen allocates by malloc, not by operator new, so malloc itself is counted.
namespace {
std::size_t allocation_count = 0;
}
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) noexcept {
  ++allocation_count;
  return __libc_malloc(size);
}
#endif

namespace moblo::qp::testing::robustness_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double rho = 0.5;

Eigen::MatrixXd identity_with(int size, int i, int j, double value) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(size, size);
  matrix(i, j) = matrix(j, i) = value;
  return matrix;
}

std::vector<Eigen::MatrixXd> matrices_that_are_no_gramian() {
  Eigen::MatrixXd asymmetric = Eigen::MatrixXd::Identity(3, 3);
  asymmetric(0, 1) = 0.5;
  return {Eigen::MatrixXd(0, 0),
          Eigen::MatrixXd::Zero(2, 3),
          identity_with(3, 0, 1, nan),
          identity_with(3, 1, 2, infinity),
          identity_with(3, 2, 2, nan),
          identity_with(3, 1, 1, infinity),
          identity_with(3, 0, 0, -1),
          identity_with(3, 0, 2, 2),
          asymmetric};
}

void expect_unusable(const Solution& solution, QpStatus status) {
  EXPECT_EQ(solution.status, status) << describe(solution.status);
  EXPECT_FALSE(solution.certified());
  EXPECT_TRUE(solution.weights.array().isNaN().all());
  EXPECT_TRUE(std::isnan(solution.multiplier));
}

TEST(Robustness, MatrixThatIsNoGramianIsBadInput) {
  for (const Eigen::MatrixXd& matrix : matrices_that_are_no_gramian()) {
    MinNormSolver min_norm;
    ForumSolver forum;
    expect_unusable(min_norm.solve(matrix), QpStatus::bad_input);
    expect_unusable(forum.solve({matrix, rho}), QpStatus::bad_input);
  }
  ForumSolver forum;
  expect_unusable(forum.solve({Eigen::MatrixXd::Identity(1, 1), rho}), QpStatus::bad_input);
}

TEST(Robustness, ParameterOutOfRangeIsBadInput) {
  const Eigen::MatrixXd gramian = Eigen::MatrixXd::Identity(3, 3);
  ForumSolver forum;
  for (const double wrong : {-1.0, nan, infinity}) {
    expect_unusable(forum.solve({gramian, wrong}), QpStatus::bad_input);
    expect_unusable(forum.solve({gramian, rho, Multiplier::paper, wrong}), QpStatus::bad_input);
  }
}

TEST(Robustness, SolverRecoversAfterBadInput) {
  ForumSolver forum;
  forum.solve({identity_with(4, 0, 1, nan), rho});
  EXPECT_TRUE(forum.solve({Eigen::MatrixXd::Identity(4, 4), rho}).certified());
}

TEST(Robustness, UncertifiedAnswerIsUnusable) {
  const Options impossible{.tolerance = -1};
  Random random(51);
  const Eigen::MatrixXd gramian = gramian_of(make_rows(Family::random, 5, random));
  MinNormSolver min_norm(impossible);
  ForumSolver forum(impossible);
  expect_unusable(min_norm.solve(gramian), QpStatus::not_certified);
  expect_unusable(forum.solve({gramian, phi_of(gramian, rho)}), QpStatus::not_certified);
}

TEST(Robustness, EveryAttemptOfTheLadderFindsTheAnswer) {
  for_each_case(52, 20, [](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    const Eigen::MatrixXd gramian = gramian_of(rows);
    const double phi = phi_of(gramian, uniform(random, 0, 1));
    for (const Attempt attempt : {Attempt::extended_precision, Attempt::proximal}) {
      const Options options{.first_attempt = attempt};
      MinNormSolver min_norm(options);
      const Solution& point = min_norm.solve(gramian.topLeftCorner(m, m));
      EXPECT_EQ(point.status, certified_status(attempt)) << name_of(family) << " m=" << m << " " << point.kkt_residual;
      for (const Multiplier multiplier : {Multiplier::paper, Multiplier::exact}) {
        ForumSolver forum(options);
        const Solution& answer = forum.solve({gramian, phi, multiplier});
        EXPECT_EQ(answer.status, certified_status(attempt))
            << name_of(family) << " m=" << m << " " << answer.kkt_residual;
      }
    }
  });
}

/// Nearly dependent rows on unrelated scales: the worst that rounding can meet. All must be certified on some rung.
TEST(Robustness, NearlyDependentRowsOnAllScalesAreCertified) {
  Random random(53);
  for (const int m : {2, 3, 5, 11, 40}) {
    for (int k = 0; k < 1000; ++k) {
      Eigen::MatrixXd rows = make_rows(Family::random, m, random);
      const auto columns = static_cast<int>(rows.cols());
      const double noise = std::pow(10.0, uniform(random, -17, -3));
      for (int i = 0; i < m; ++i) {
        const Eigen::RowVectorXd mixture = uniform(random, -1, 1) * rows.row(uniform_index(random, m + 1)) +
                                           uniform(random, -1, 1) * rows.row(uniform_index(random, m + 1));
        if (uniform_index(random, 2) == 0) rows.row(i) = mixture + noise * normal_matrix(random, 1, columns);
      }
      for (int i = 0; i <= m; ++i) rows.row(i) *= std::pow(10.0, uniform(random, -10, 10));
      const Eigen::MatrixXd gramian = gramian_of(rows);
      MinNormSolver min_norm;
      EXPECT_TRUE(min_norm.solve(gramian.topLeftCorner(m, m)).certified());
      for (const Multiplier multiplier : {Multiplier::paper, Multiplier::exact}) {
        ForumSolver forum;
        EXPECT_TRUE(forum.solve({gramian, phi_of(gramian, uniform(random, 0, 1)), multiplier}).certified());
      }
    }
  }
}

/// A wrong answer must not be certified because its certificate overflows.
TEST(Robustness, ResidualThatOverflowsIsInfinite) {
  Eigen::MatrixXd gramian = Eigen::MatrixXd::Identity(2, 2);
  gramian *= 0x1p1023;
  EXPECT_EQ(kkt_residual(gramian, Eigen::Vector2d(1, 0)), infinity);
}

TEST(Robustness, UnitIsOneWhereAllSquaresAreOrdinary) {
  EXPECT_EQ(unit_exponent(Eigen::Vector3d(0x1p-400, 0, 0x1p400).asDiagonal().toDenseMatrix()), 0);
  EXPECT_EQ(unit_exponent(Eigen::Matrix2d::Zero()), 0);
  EXPECT_EQ(unit_exponent(0x1p800 * Eigen::Matrix2d::Identity()), 400);
  EXPECT_EQ(unit_exponent(Eigen::Vector3d(0x1p-1000, 1, 0).asDiagonal().toDenseMatrix()), -250);
}

/// Entries from 1e-308 to 1e308: a power of four changes no bit of the weights.
TEST(Robustness, MinNormDoesNotSeeTheUnitOfLength) {
  Random random(55);
  for (const int m : {1, 2, 3, 11}) {
    for (int k = 0; k < 50; ++k) {
      Eigen::MatrixXd gramian = gramian_of(make_rows(Family::random, m, random)).topLeftCorner(m, m);
      gramian /= std::exp2(std::ceil(std::log2(gramian.diagonal().maxCoeff())));
      const double shortest = gramian.diagonal().minCoeff();
      MinNormSolver known;
      known.solve(gramian);
      for (const int exponent : {-500, -498, -300, -250, 250, 300, 498, 508, 510, 511, 512}) {
        const double square = std::ldexp(1.0, 2 * exponent - (exponent == 512));
        if (shortest * square < 0x1p-1000) continue;  // digits are lost before the solver sees them
        MinNormSolver solver;
        const Solution& solution = solver.solve(square * gramian);
        ASSERT_TRUE(solution.certified()) << "m = " << m << ", 2^" << exponent;
        if (exponent < 512) {
          EXPECT_EQ(solution.weights, solver.solve(gramian).weights);
        }
        EXPECT_LE((solution.weights - known.solve(gramian).weights).norm(), 1e-12);
        EXPECT_TRUE(std::isfinite(solution.objective));
      }
    }
  }
}

/// Lengths from 1e-150 to 1e150 beside one another. Orthogonal rows have weights of 1/|g_i|^2, up to their sum.
TEST(Robustness, OrthogonalRowsOfAllLengthsWeighInverseSquares) {
  Random random(56);
  for (const int m : {2, 3, 5, 11}) {
    for (int k = 0; k < 300; ++k) {
      const double middle = uniform(random, -300, 300), width = k % 2 == 0 ? uniform(random, 0, 8) : 300;
      Eigen::VectorXd squares(m);
      for (double& square : squares) {
        square = std::pow(10.0, std::clamp(middle + uniform(random, -width, width), -300.0, 300.0));
      }
      const Eigen::VectorXd expected = squares.minCoeff() / squares.array();
      MinNormSolver solver;
      const Solution& solution = solver.solve(squares.asDiagonal().toDenseMatrix());
      ASSERT_TRUE(solution.certified()) << squares.transpose();
      EXPECT_LE((solution.weights - expected / expected.sum()).cwiseAbs().maxCoeff(), 1e-9) << squares.transpose();
    }
  }
}

/// What leads to no certificate gives no weights.
TEST(Robustness, AnyRowsOfAllLengthsAreCertifiedInExtendedPrecisionOrRefused) {
  Random random(57);
  for (const int m : {2, 3, 5, 11}) {
    int certified = 0;
    constexpr int cases = 200;
    for (int k = 0; k < cases; ++k) {
      Eigen::MatrixXd gramian = gramian_of(make_rows(Family::random, m, random)).topLeftCorner(m, m);
      for (int i = 0; i < m; ++i) {
        const double length = std::pow(10.0, uniform(random, -149, 149));
        gramian.row(i) *= length;
        gramian.col(i) *= length;
      }
      MinNormSolver solver;
      const Solution& solution = solver.solve(gramian);
      if (!solution.certified()) {
        EXPECT_TRUE(solution.weights.array().isNaN().all());
        continue;
      }
      ++certified;
      using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
      const Extended exact = gramian.cast<long double>();
      const Eigen::Matrix<long double, Eigen::Dynamic, 1> weights = solution.weights.cast<long double>();
      const auto lengths = exact.diagonal().array().sqrt().eval();
      const long double total = (weights.array() * lengths).sum();
      const auto gradient = (exact * weights).eval();
      const long double average = weights.dot(gradient);
      for (int i = 0; i < m; ++i) {
        EXPECT_LE((average - gradient[i]) / ((lengths[i] + total) * total), 1e-10L);
        EXPECT_LE(std::abs(weights[i] * (gradient[i] - average)) / (total * total), 1e-10L);
      }
    }
    EXPECT_EQ(certified, cases) << "m = " << m;
  }
}

TEST(Robustness, StatusesDescribeThemselves) {
  EXPECT_EQ(describe(QpStatus::solved), "solved");
  EXPECT_NE(describe(QpStatus::bad_input), describe(QpStatus::not_certified));
}

#ifdef MOBLO_COUNT_ALLOCATIONS
TEST(Robustness, SolvesAllocateNothingOnceSized) {
  Random random(54);
  for (const int m : {2, 3, 11, 128}) {
    MinNormSolver min_norm;
    ForumSolver forum;
    std::vector<Eigen::MatrixXd> gramians;
    for (int k = 0; k < 20; ++k) gramians.push_back(gramian_of(make_rows(Family::random, m, random)));
    const auto solve_both = [&](const Eigen::MatrixXd& gramian) {
      min_norm.solve(gramian.topLeftCorner(m, m));
      forum.solve({gramian, phi_of(gramian, rho)});
    };
    solve_both(gramians.front());
    const std::size_t before = allocation_count;
    for (const Eigen::MatrixXd& gramian : gramians) solve_both(gramian);
    EXPECT_EQ(allocation_count, before) << "m=" << m;
  }
}
#endif

}  // namespace
}  // namespace moblo::qp::testing::robustness_test
