#include "tests/moblo/aggregation/steps.hpp"

namespace moblo::aggregation::testing {
namespace {

const Json exact{{"ridge", 0}, {"clip", 0}};

/// a_i <g_i, sum_j a_j g_j> = |G|_F for every task: G a = 1/a on the scaled Gramian.
void expect_bargain(const TaskGradients& rows, const Aggregate& out, double tolerance) {
  const double norm = (rows * rows.transpose()).norm();
  const Eigen::VectorXd gains = out.weights.heads.cwiseProduct(rows * out.direction) / norm;
  EXPECT_GT(out.weights.heads.minCoeff(), 0);
  EXPECT_LE((gains.array() - 1).abs().maxCoeff(), tolerance);
}

TEST(NashMtl, SolvesTheBargain) {
  for (const Family family : {Family::random, Family::conflicted, Family::orthogonal, Family::parallel,
                              Family::badly_scaled, Family::duplicates}) {
    for (const int m : all_sizes) {
      SCOPED_TRACE(std::string(name_of(family)) + " " + std::to_string(m));
      Rng rng(23);
      const auto rows = make_gradients(family, m, rng);
      const auto out = first_step("nashmtl", rows, exact);
      expect_bargain(rows, out, 1e-9);
      EXPECT_LE(out.weights.residual, 1e-13);
    }
  }
}

TEST(NashMtl, DescendsForEveryTask) {
  for_each_case([](Family family, const TaskGradients& rows) {
    const auto direction = first_step("nashmtl", rows, {{"clip", 0}}).direction;
    const double norm = (rows * rows.transpose()).norm();
    const double slack = std::sqrt(1e-8 * static_cast<double>(rows.rows()) * norm);  // what the ridge may cost
    EXPECT_GE(projections(rows, direction).minCoeff(), -slack) << name_of(family);
  });
}

TEST(NashMtl, DirectionDoesNotSeeTheScaleOfATask) {
  Rng rng(24);
  TaskGradients rows = make_gradients(Family::conflicted, 3, rng);
  const auto before = first_step("nashmtl", rows).direction;
  rows.row(0) *= 1e5;
  expect_same(before.normalized(), first_step("nashmtl", rows).direction.normalized(), 1e-10);
}

TEST(NashMtl, ClipsTheSharedDirectionOnly) {
  Rng rng(25);
  const auto rows = make_gradients(Family::random, 3, rng);
  const auto free = first_step("nashmtl", rows, {{"clip", 0}}), clipped = first_step("nashmtl", rows);
  EXPECT_GT(free.direction.norm(), 1);
  EXPECT_NEAR(clipped.direction.norm(), 1, 1e-13);
  expect_same(clipped.direction, free.direction.normalized(), 1e-13);
  EXPECT_EQ(clipped.weights.heads, free.weights.heads);
}

TEST(NashMtl, KeepsItsWeightsBetweenBargains) {
  Rng rng(26);
  Steps steps("nashmtl", 3, {{"every", 3}});
  std::vector<Eigen::VectorXd> heads;
  for (int k = 0; k < 4; ++k) heads.push_back(steps.next(make_gradients(Family::random, 3, rng)).weights.heads);
  EXPECT_EQ(heads[0], heads[1]);
  EXPECT_EQ(heads[0], heads[2]);
  EXPECT_NE(heads[0], heads[3]);
}

TEST(NashMtl, WhereGradientsCancelHasNoBargainButABound) {
  Rng rng(27);
  const auto rows = make_gradients(Family::opposed, 2, rng);
  EXPECT_THROW(first_step("nashmtl", rows, exact), Error);
  const auto out = first_step("nashmtl", rows, {{"ridge", 1e-4}, {"clip", 0}});
  EXPECT_LE(out.direction.norm(), 1e-6 * longest(rows));
  const double root = std::sqrt((rows * rows.transpose()).norm());
  EXPECT_NEAR(out.weights.heads(0), 1e2 * root / rows.row(0).norm(), 1e-3 * out.weights.heads(0));
}

TEST(NashMtl, ATaskWithoutAGradientKeepsItsWeight) {
  Rng rng(28);
  Steps steps("nashmtl", 3);
  TaskGradients rows = make_gradients(Family::random, 3, rng);
  const double before = steps.next(rows).weights.heads(1);
  rows.row(1).setZero();
  EXPECT_EQ(steps.next(rows).weights.heads(1), before);
}

}  // namespace
}  // namespace moblo::aggregation::testing
