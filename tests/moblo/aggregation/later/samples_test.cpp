#include "moblo/qp/residual.hpp"
#include "tests/moblo/aggregation/later/driver.hpp"

/// MoDo and SDMGrad: weights from several independent batches.
namespace moblo::aggregation::testing {
namespace {

TEST(MoDo, LambdaStaysOnTheSimplexAndActsOnTheLastBatch) {
  Rng rng(31);
  for (const int m : all_sizes) {
    auto modo = make("modo", m, {{"gamma", 0.3}});
    for (int k = 0; k < 30; ++k) {
      const Eigen::VectorXd shared = run_step(*modo, random_given(*modo, k, m, rng)).weights.shared;
      EXPECT_TRUE((shared.head(2 * m).array() == 0).all());
      EXPECT_NEAR(shared.tail(m).sum(), 1, 1e-12);
      EXPECT_GE(shared.minCoeff(), 0);
    }
  }
}

/// Equal batches make the cross product the Gramian itself: lambda then descends to the min-norm point.
TEST(MoDo, FindsTheMinNormPointOfARepeatedBatch) {
  Rng rng(32);
  for (const int m : {2, 3, 11}) {
    auto modo = make("modo", m, {{"gamma", 0.01}, {"rho", 0}});
    const TaskGradients rows = normal_rows(m, m + 4, rng);
    Eigen::VectorXd lambda;
    for (int k = 0; k < 20000; ++k) {
      lambda = run_step(*modo, {k, 1, Eigen::VectorXd::Ones(m), {}, rows.replicate(3, 1)}).weights.shared.tail(m);
    }
    EXPECT_LE(qp::kkt_residual(rows * rows.transpose(), lambda), 1e-8) << m;
  }
}

TEST(MoDo, TwoBatchesShareTheDirection) {
  Rng rng(33);
  auto three = make("modo", 3), two = make("modo", 3, {{"samples", 2}});
  EXPECT_EQ(two->needs().samples, 2);
  Given given = random_given(*three, 0, 3, rng);
  const Eigen::VectorXd lambda = run_step(*three, given).weights.shared.tail(3);
  given.rows = given.rows.topRows(6).eval();
  const Eigen::VectorXd shared = run_step(*two, given).weights.shared;
  EXPECT_LE((shared.head(3) - lambda / 2).norm() + (shared.tail(3) - lambda / 2).norm(), 1e-15);
}

TEST(SdmGrad, WeightsOfTheFirstBatchSumToOne) {
  Rng rng(34);
  for (const int m : all_sizes) {
    auto sdmgrad = make("sdmgrad", m);
    for (int k = 0; k < 10; ++k) {
      const Eigen::VectorXd shared = run_step(*sdmgrad, random_given(*sdmgrad, k, m, rng)).weights.shared;
      EXPECT_TRUE((shared.tail(2 * m).array() == 0).all());
      EXPECT_NEAR(shared.sum(), 1, 1e-12);
      EXPECT_GE(shared.head(m).minCoeff(), 0.3 / 1.3 / m - 1e-12);
    }
  }
}

/// (1 + lambda) d minimises |g_w + lambda g_0| over the simplex: <g_i + lambda g_0, d> >= <d, d> (1 + lambda).
TEST(SdmGrad, OneBatchIsSolvedExactly) {
  for_each_family(35, [](Family, const TaskGradients& rows, Rng&) {
    const Eigen::Index m = rows.rows();
    auto sdmgrad = make("sdmgrad", m, {{"batches", "one"}});
    const Aggregate answer = run_step(*sdmgrad, {0, 1, Eigen::VectorXd::Ones(m), {}, rows});
    const Eigen::VectorXd mean = rows.colwise().mean().transpose(), point = 1.3 * answer.direction;
    const double scale = 1.3 * magnitude(rows, answer.weights.shared);
    for (Eigen::Index i = 0; i < m; ++i) {
      const Eigen::VectorXd shifted = rows.row(i).transpose() + 0.3 * mean;
      EXPECT_GE(shifted.dot(point), point.squaredNorm() - 1e-9 * (shifted.norm() + scale) * scale);
    }
  });
}

TEST(SdmGrad, SmallStepsReachTheExactWeights) {
  Rng rng(36);
  const TaskGradients rows = normal_rows(4, 8, rng);
  auto exact = make("sdmgrad", 4, {{"batches", "one"}});
  auto steps = make("sdmgrad", 4, {{"step_size", 0.05}, {"iterations", 20000}});
  const Given one{0, 1, Eigen::VectorXd::Ones(4), {}, rows},
      three{0, 1, Eigen::VectorXd::Ones(4), {}, rows.replicate(3, 1)};
  EXPECT_LE((run_step(*exact, one).direction - run_step(*steps, three).direction).norm(), 1e-8);
}

}  // namespace
}  // namespace moblo::aggregation::testing
