#include <gtest/gtest.h>

#include "families.hpp"
#include "moblo/qp/forum_dual.hpp"
#include "moblo/qp/residual.hpp"

namespace moblo::qp::testing::preference_test {
namespace {

constexpr int cases = 120;
constexpr double largest_rho = 1.5;

/// FORUM's dual with merits and limits, as random as the family of its rows.
struct Case {
  Eigen::MatrixXd rows;     // g, a, q
  Eigen::MatrixXd gramian;  // of them
  Eigen::VectorXd merits, allowed;
  double phi = 0, floor = 0, limit_bound = 0;

  ForumDual dual(Multiplier kind) const { return {gramian, phi, kind, floor, merits, allowed, limit_bound}; }
};

double longest_objective(const Eigen::MatrixXd& rows, int m) {
  return rows.topRows(m).rowwise().norm().maxCoeff();
}

/// The first rows of a family with more of them; a share of the merits is zero.
Case make_case(Family family, int m, int limits, Random& random) {
  Case made;
  made.rows = make_rows(family, m + limits, random);
  made.gramian = gramian_of(made.rows);
  const double length = longest_objective(made.rows, m);
  const double merit_scale = std::pow(10.0, uniform(random, -4, 2)) * length * length;
  made.merits = merit_scale * normal_matrix(random, m, 1).cwiseAbs();
  if (uniform_index(random, 4) == 0) made.merits.setZero();
  made.allowed.resize(limits);
  for (int j = 0; j < limits; ++j) made.allowed[j] = uniform(random, -1, 1) * made.gramian(m + j, m + j);
  made.limit_bound = std::pow(10.0, uniform(random, -1, 3)) * length;
  made.phi = phi_of(made.gramian, uniform(random, 0, largest_rho));
  made.floor = uniform_index(random, 2) == 0 ? 0.0 : 1e-8;
  return made;
}

template <class Check>
void for_each_preference(std::uint64_t seed, Check check) {
  for (const Family family : all_families) {
    for (const int m : {1, 2, 3, 5, 11}) {
      for (const int limits : {0, 1, 3}) {
        Random random(seed + 1000 * static_cast<std::uint64_t>(family) + static_cast<std::uint64_t>(10 * m + limits));
        for (int k = 0; k < cases; ++k) check(family, make_case(family, m, limits, random));
      }
    }
  }
}

Solution solve(const ForumDual& dual) {
  ForumSolver solver;
  return solver.solve(dual);
}

Eigen::VectorXd direction(const Case& problem, const Solution& solution) {
  Eigen::VectorXd all(problem.rows.rows());
  all << solution.weights, solution.limit_multipliers, solution.multiplier;
  return -problem.rows.transpose() * all;
}

class PreferenceOfEitherKind : public ::testing::TestWithParam<Multiplier> {};

TEST_P(PreferenceOfEitherKind, EveryAnswerHasACertificate) {
  for_each_preference(51, [](Family family, const Case& problem) {
    const Solution solution = solve(problem.dual(GetParam()));
    const bool plain = problem.merits.size() == 0 && problem.allowed.size() == 0;
    const auto too_small = [](double square) { return square > 0 && square < 0x1p-420; };
    if (!plain && (too_small(problem.gramian.diagonal().minCoeff()) || too_small(problem.phi))) {
      EXPECT_EQ(solution.status, QpStatus::bad_input) << "too short beside linear terms";
      return;
    }
    ASSERT_TRUE(solution.certified()) << name_of(family) << " m=" << problem.merits.size() << " limits "
                                      << problem.allowed.size() << " residual " << solution.kkt_residual;
    EXPECT_NEAR(solution.weights.sum(), 1, tolerance.simplex);
    EXPECT_GE(solution.weights.minCoeff(), 0);
    EXPECT_GE(solution.multiplier, 0);
    for (const double kappa : solution.limit_multipliers) EXPECT_GE(kappa, 0);
  });
}

TEST_P(PreferenceOfEitherKind, ShiftedMeritsChangeNothing) {
  Random random(52);
  for (int k = 0; k < cases; ++k) {
    Case problem = make_case(Family::random, 3, 1, random);
    const Solution plain = solve(problem.dual(GetParam()));
    problem.merits.array() += longest_objective(problem.rows, 3);
    const Solution shifted = solve(problem.dual(GetParam()));
    EXPECT_LE((plain.weights - shifted.weights).norm(), tolerance.direction);
  }
}

TEST_P(PreferenceOfEitherKind, ScalingLengthsAndMeritsTogetherLeavesTheAnswerAlone) {
  Random random(53);
  for (int k = 0; k < cases; ++k) {
    Case problem = make_case(Family::random, 4, 2, random);
    const Solution plain = solve(problem.dual(GetParam()));
    const double four = std::ldexp(1.0, 20);  // a square, as all but the bound are
    for (double* value : {&problem.phi, &problem.floor}) *value *= four;
    for (Eigen::VectorXd* values : {&problem.merits, &problem.allowed}) *values *= four;
    problem.gramian *= four;
    problem.limit_bound *= std::sqrt(four);
    const Solution scaled = solve(problem.dual(GetParam()));
    EXPECT_EQ(plain.weights, scaled.weights);
    EXPECT_EQ(plain.limit_multipliers, scaled.limit_multipliers);
  }
}

TEST_P(PreferenceOfEitherKind, AWrongAnswerShowsInTheResidual) {
  Random random(54);
  int interior = 0;
  for (int k = 0; k < cases; ++k) {
    Case problem = make_case(Family::random, 3, 2, random);
    const ForumDual dual = problem.dual(GetParam());
    const Solution solution = solve(dual);
    Eigen::VectorXd kappa = solution.limit_multipliers;
    kappa[0] += tolerance.perturbation * (kappa[0] + solution.weights.sum());
    EXPECT_GT(kkt_residual(dual, {solution.weights, solution.multiplier, solution.bound_multiplier, kappa}),
              tolerance.visible_residual);
    if (solution.weights.minCoeff() < 0.01) continue;
    problem.merits[0] += longest_objective(problem.rows, 3) * longest_objective(problem.rows, 3);  // another question
    EXPECT_GT(kkt_residual(problem.dual(GetParam()), {solution.weights, solution.multiplier, solution.bound_multiplier,
                                                      solution.limit_multipliers}),
              tolerance.visible_residual);
    ++interior;
  }
  EXPECT_GT(interior, 10);
}

TEST_P(PreferenceOfEitherKind, RefusesWhatIsNoProblem) {
  Random random(55);
  Case problem = make_case(Family::random, 2, 1, random);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  problem.merits[0] = nan;
  EXPECT_EQ(solve(problem.dual(GetParam())).status, QpStatus::bad_input);
  problem.merits.setOnes(3);
  EXPECT_EQ(solve(problem.dual(GetParam())).status, QpStatus::bad_input);
  problem.merits.setOnes(2);
  problem.limit_bound = -1;
  const Solution refused = solve(problem.dual(GetParam()));
  EXPECT_EQ(refused.status, QpStatus::bad_input);
  EXPECT_TRUE(std::isnan(refused.limit_multipliers[0]));
}

INSTANTIATE_TEST_SUITE_P(Both, PreferenceOfEitherKind, ::testing::Values(Multiplier::paper, Multiplier::exact),
                         [](const auto& instance) { return instance.param == Multiplier::paper ? "paper" : "exact"; });

/// The primal at d, from the rows themselves: strong duality makes it the negative of the dual.
double primal(const Case& problem, const Eigen::VectorXd& d) {
  const Eigen::Index m = problem.merits.size();
  double value = d.squaredNorm() / 2 + (problem.merits + problem.rows.topRows(m) * d).maxCoeff();
  double excess = 0;
  for (Eigen::Index j = 0; j < problem.allowed.size(); ++j) {
    const auto row = problem.rows.row(m + j);
    if (row.norm() > 0) excess = std::max(excess, (row.dot(d) - problem.allowed[j]) / row.norm());
  }
  return value + problem.limit_bound * excess;
}

TEST(Preference, ExactDirectionHasNoDualityGapAndKeepsTheConstraint) {
  for_each_preference(56, [](Family family, const Case& problem) {
    if (family == Family::tiny_constraint || family == Family::badly_scaled) return;  // sums over 25 decades
    const Solution solution = solve(problem.dual(Multiplier::exact));
    const Eigen::VectorXd d = direction(problem, solution);
    const Eigen::Index last = problem.rows.rows() - 1;
    const double length = problem.rows.row(last).norm();
    const double scale = d.squaredNorm() + problem.merits.cwiseAbs().maxCoeff() + solution.multiplier * problem.phi +
                         problem.limit_bound * problem.limit_bound + std::pow(longest_objective(problem.rows, 1), 2);
    EXPECT_NEAR(primal(problem, d), -solution.objective, 1e-7 * scale) << name_of(family);
    EXPECT_LE(problem.rows.row(last).dot(d), -problem.phi + 1e-7 * length * std::sqrt(scale)) << name_of(family);
  });
}

TEST(Preference, EmptyAndZeroMeritsAreTheSameProblem) {
  Random random(57);
  for (int k = 0; k < cases; ++k) {
    Case problem = make_case(Family::random, 5, 0, random);
    problem.merits.setZero();
    const Solution zero = solve(problem.dual(Multiplier::paper));
    problem.merits.resize(0);
    EXPECT_EQ(zero.weights, solve(problem.dual(Multiplier::paper)).weights);
  }
}

TEST(Preference, MeritsWithoutGradientsChooseTheLargest) {
  const Eigen::MatrixXd gramian = Eigen::MatrixXd::Zero(4, 4);
  const Eigen::Vector3d merits(1, 3, 2);
  ForumSolver solver;
  const Solution& solution = solver.solve({gramian, 0, Multiplier::exact, 0, merits});
  ASSERT_TRUE(solution.certified());
  EXPECT_EQ(solution.weights, Eigen::Vector3d(0, 1, 0));
}

/// d = (-1, 0) would be the min-norm step; the limit d_x >= -0.25 leaves a quarter of it.
TEST(Preference, LimitHoldsBackTheDirection) {
  const Eigen::MatrixXd rows{{1, 0}, {-1, 0}, {0, 0}};  // g, a, q
  const Eigen::MatrixXd gramian = gramian_of(rows);
  const Eigen::VectorXd allowed = Eigen::VectorXd::Constant(1, 0.25);
  ForumSolver solver;
  const Solution& solution = solver.solve({gramian, 0, Multiplier::exact, 0, no_values, allowed, 10});
  ASSERT_TRUE(solution.certified());
  EXPECT_NEAR(solution.limit_multipliers[0], 0.75, tolerance.simplex);
}

/// <a, d> <= -1 asks for d_x >= 1, the constraint for d_x <= -1: the limit gives way, and kappa says so by its bound.
TEST(Preference, LimitThatTheConstraintForbidsGivesWay) {
  const Eigen::MatrixXd rows{{0, 1}, {-1, 0}, {1, 0}};
  const Eigen::MatrixXd gramian = gramian_of(rows);
  const Eigen::VectorXd allowed = Eigen::VectorXd::Constant(1, -1);
  ForumSolver solver;
  const Solution& solution = solver.solve({gramian, 1, Multiplier::exact, 0, no_values, allowed, 7});
  ASSERT_TRUE(solution.certified());
  EXPECT_NEAR(solution.limit_multipliers[0], 7, tolerance.relative);
  EXPECT_NEAR(solution.multiplier, 8, tolerance.relative);  // d_x = kappa - gamma = -1
}

}  // namespace
}  // namespace moblo::qp::testing::preference_test
