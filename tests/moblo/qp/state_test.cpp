#include <gtest/gtest.h>

#include "families.hpp"
#include "moblo/qp/forum_dual.hpp"
#include "moblo/qp/min_norm.hpp"

namespace moblo::qp::testing::state_test {
namespace {

constexpr int steps = 30;
constexpr double drift = 0.02;
constexpr double rho = 0.3;

/// One solve of either kind, so that a test reads the same for both.
struct MinNormStep {
  MinNormSolver solver;
  const Solution& operator()(const Eigen::MatrixXd& rows) {
    return solver.solve(gramian_of(rows.topRows(rows.rows() - 1)));
  }
};

template <Multiplier multiplier>
struct ForumStep {
  ForumSolver solver;
  const Solution& operator()(const Eigen::MatrixXd& rows) {
    const Eigen::MatrixXd gramian = gramian_of(rows);
    return solver.solve({gramian, phi_of(gramian, rho), multiplier});
  }
};

template <class Step>
class WarmStarted : public ::testing::Test {};

using Steps = ::testing::Types<MinNormStep, ForumStep<Multiplier::paper>, ForumStep<Multiplier::exact>>;
TYPED_TEST_SUITE(WarmStarted, Steps);

void drift_rows(Eigen::MatrixXd& rows, Random& random) {
  const Eigen::MatrixXd noise = normal_matrix(random, static_cast<int>(rows.rows()), static_cast<int>(rows.cols()));
  const Eigen::VectorXd lengths = rows.rowwise().norm();
  rows += drift * lengths.asDiagonal() * noise;
}

TYPED_TEST(WarmStarted, SolveGivesTheSameDirectionAsACold) {
  for_each_case(31, 4, [](Family family, int m, Eigen::MatrixXd rows, Random& random) {
    TypeParam warm;
    for (int k = 0; k < steps; ++k, drift_rows(rows, random)) {
      TypeParam cold;
      const Solution& a = warm(rows);
      const Solution& b = cold(rows);
      ASSERT_TRUE(a.certified() && b.certified()) << name_of(family) << " m=" << m;
      const double scale = std::max(magnitude(rows, a.weights, a.multiplier), magnitude(rows, b.weights, b.multiplier));
      const Eigen::VectorXd difference =
          combine(rows, a.weights, a.multiplier) - combine(rows, b.weights, b.multiplier);
      EXPECT_LE(difference.norm(), tolerance.direction * scale) << name_of(family) << " m=" << m;
    }
  });
}

TYPED_TEST(WarmStarted, RestoredSolverRepeatsTheUninterruptedRunBitForBit) {
  for_each_case(32, 2, [](Family family, int m, Eigen::MatrixXd rows, Random& random) {
    TypeParam uninterrupted;
    for (int k = 0; k < steps / 2; ++k, drift_rows(rows, random)) uninterrupted(rows);
    TypeParam resumed;
    resumed.solver.restore(uninterrupted.solver.warm_start());
    for (int k = 0; k < steps / 2; ++k, drift_rows(rows, random)) {
      const Solution& a = uninterrupted(rows);
      const Solution& b = resumed(rows);
      ASSERT_EQ(a.weights, b.weights) << name_of(family) << " m=" << m;
      ASSERT_EQ(a.multiplier, b.multiplier);
      ASSERT_EQ(a.kkt_residual, b.kkt_residual);
      ASSERT_EQ(uninterrupted.solver.warm_start(), resumed.solver.warm_start());
    }
  });
}

TYPED_TEST(WarmStarted, ForgottenStartEqualsANewSolver) {
  Random random(33);
  const Eigen::MatrixXd first = make_rows(Family::random, 11, random);
  const Eigen::MatrixXd second = make_rows(Family::random, 11, random);
  TypeParam used, fresh;
  used(first);
  used.solver.forget();
  EXPECT_EQ(used(second).weights, fresh(second).weights);
}

TYPED_TEST(WarmStarted, ForeignStartDoesNoHarm) {
  Random random(34);
  for (const int m : {1, 2, 3, 11}) {
    const Eigen::MatrixXd rows = make_rows(Family::random, m, random);
    TypeParam step;
    step.solver.restore({.free_set = {-3, 0, 0, m - 1, m, 999}, .piece = 17});
    EXPECT_TRUE(step(rows).certified());
  }
}

TYPED_TEST(WarmStarted, SolverFollowsAChangeOfSize) {
  Random random(35);
  TypeParam step;
  for (const int m : {5, 11, 2, 40, 1, 3}) {
    const Solution& solution = step(make_rows(Family::random, m, random));
    EXPECT_TRUE(solution.certified());
    EXPECT_EQ(solution.weights.size(), m);
  }
}

}  // namespace
}  // namespace moblo::qp::testing::state_test
