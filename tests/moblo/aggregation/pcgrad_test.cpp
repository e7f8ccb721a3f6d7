#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

TEST(PcGrad, IsTheSumWhereNothingConflicts) {
  for (const Family family : {Family::orthogonal, Family::parallel}) {
    for (const int m : all_sizes) {
      Rng rng(4);
      const auto rows = make_gradients(family, m, rng);
      expect_same(first_step("pcgrad", rows).direction, rows.colwise().sum().transpose(), 1e-13);
    }
  }
}

TEST(PcGrad, OfTwoTasksHurtsNeither) {
  for (const Family family : all_families) {
    Rng rng(5);
    for (int k = 0; k < 20; ++k) {
      const auto rows = make_gradients(family, 2, rng);
      const auto direction = first_step("pcgrad", rows).direction;
      EXPECT_GE(projections(rows, direction).minCoeff(), -1e-13 * longest(rows)) << name_of(family);
    }
  }
}

TEST(PcGrad, TakesTheConflictingPartAway) {
  TaskGradients rows(2, 3);
  rows << 1, 0, 0, -1, 2, 0;  // each loses its part along the other
  const Eigen::Vector3d first(1 - 1 / 5.0, 2 / 5.0, 0), second(0, 2, 0);
  expect_same(first_step("pcgrad", rows).direction, first + second, 1e-14);
}

/// The same on explicit vectors; the orders show only in the result.
Eigen::VectorXd on_vectors(const TaskGradients& rows, std::uint64_t seed) {
  Rng rng(seed);
  Eigen::VectorXd total = Eigen::VectorXd::Zero(rows.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    Eigen::RowVectorXd own = rows.row(i);
    for (const auto j : rng.permutation(rows.rows())) {
      const double product = own.dot(rows.row(j));
      if (j != i && product < 0) own -= product / rows.row(j).squaredNorm() * rows.row(j);
    }
    total += own.transpose();
  }
  return total;
}

TEST(PcGrad, OnTheGramianIsPcGradOnTheGradients) {
  for (const Family family : {Family::random, Family::conflicted, Family::duplicates, Family::badly_scaled}) {
    for (const int m : all_sizes) {
      Rng rng(6);
      const auto rows = make_gradients(family, m, rng);
      expect_same(first_step("pcgrad", rows, {{"seed", 9}}).direction,
                  on_vectors(rows, derive_seed(9, "pcgrad orders", 0)), 1e-9);
    }
  }
}

}  // namespace
}  // namespace moblo::aggregation::testing
