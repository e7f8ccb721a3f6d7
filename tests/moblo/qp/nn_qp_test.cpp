#include "moblo/qp/nn_qp.hpp"

#include <gtest/gtest.h>

#include "families.hpp"

namespace moblo::qp::testing::nn_qp_test {
namespace {

constexpr int cases = 60;

Eigen::VectorXd random_bound(int m, Random& random) {
  Eigen::VectorXd u = normal_matrix(random, m, 1);
  if (uniform_index(random, 2) == 0) u = u.cwiseAbs();
  if (uniform_index(random, 3) == 0) u = Eigen::VectorXd::Unit(m, uniform_index(random, m));
  return u;
}

/// Calls check(rows g_1..g_m, u, label) over all families.
template <class Check>
void for_each_bound(std::uint64_t seed, Check check) {
  for_each_case(seed, cases, [&](Family family, int m, const Eigen::MatrixXd& rows, Random& random) {
    check(Eigen::MatrixXd(rows.topRows(m)), random_bound(m, random),
          std::string(name_of(family)) + " m=" + std::to_string(m));
  });
}

double weighted_length(const Eigen::MatrixXd& rows, const Eigen::VectorXd& weights) {
  return rows.rowwise().norm().dot(weights.cwiseAbs());
}

TEST(NnQp, CertifiedInAllFamiliesAndNoRowConflicts) {
  for_each_bound(71, [](const Eigen::MatrixXd& rows, const Eigen::VectorXd& u, const std::string& label) {
    NnQpSolver solver;
    const Solution& solution = solver.solve(gramian_of(rows), u);
    ASSERT_TRUE(solution.certified()) << label << " " << solution.kkt_residual;
    const Eigen::VectorXd direction = rows.transpose() * solution.weights;
    const double scale = weighted_length(rows, solution.weights) + weighted_length(rows, u);
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      EXPECT_GE(solution.weights[i], u[i]) << label;
      EXPECT_GE(rows.row(i).dot(direction), -tolerance.relative * rows.row(i).norm() * scale) << label;
    }
  });
}

/// p is the nearest point of a cone to x where <x - p, p> = 0 and x - p makes an obtuse angle with the cone; here
/// p - x = J'(v - u) with v >= u, so the angle with any d of the dual cone is acute the other way round.
TEST(NnQp, ResidueIsOrthogonalToTheProjection) {
  for_each_bound(72, [](const Eigen::MatrixXd& rows, const Eigen::VectorXd& u, const std::string& label) {
    NnQpSolver solver;
    const Eigen::VectorXd v = solver.solve(gramian_of(rows), u).weights;
    const Eigen::VectorXd projection = rows.transpose() * v, residue = rows.transpose() * (v - u);
    const double scale = weighted_length(rows, v) + weighted_length(rows, u);
    EXPECT_NEAR(residue.dot(projection), 0, tolerance.relative * scale * scale) << label;
  });
}

TEST(NnQp, EveryRungFindsTheSameDirection) {
  for_each_bound(73, [](const Eigen::MatrixXd& rows, const Eigen::VectorXd& u, const std::string& label) {
    NnQpSolver active, fallback({.first_attempt = Attempt::proximal});
    const Eigen::VectorXd v = active.solve(gramian_of(rows), u).weights;
    const Solution& other = fallback.solve(gramian_of(rows), u);
    ASSERT_EQ(other.status, QpStatus::fallback) << label << " " << other.kkt_residual;
    const double scale = weighted_length(rows, v) + weighted_length(rows, u);
    EXPECT_LE((rows.transpose() * (v - other.weights)).norm(), 10 * tolerance.direction * scale) << label;
  });
}

TEST(NnQp, NearlyDependentRowsAreCertified) {
  Random random(74);
  for (const int m : {2, 3, 11, 40}) {
    for (int k = 0; k < 300; ++k) {
      Eigen::MatrixXd rows = normal_matrix(random, m, m + 2);
      const double noise = std::pow(10.0, uniform(random, -17, -3));
      for (int i = 0; i < m; ++i) {
        if (uniform_index(random, 2) == 0) {
          rows.row(i) = uniform(random, -1, 1) * rows.row(uniform_index(random, m)) -
                        uniform(random, 0, 1) * rows.row(uniform_index(random, m)) +
                        noise * normal_matrix(random, 1, m + 2);
        }
      }
      for (int i = 0; i < m; ++i) rows.row(i) *= std::pow(10.0, uniform(random, -10, 10));
      NnQpSolver solver;
      const Solution& solution = solver.solve(gramian_of(rows), random_bound(m, random));
      EXPECT_TRUE(solution.certified()) << m << " noise " << noise << " " << solution.kkt_residual;
    }
  }
}

TEST(NnQp, RowsThatDoNotConflictStayAsTheyAre) {
  const Eigen::MatrixXd gramian{{2, 0.5, 0}, {0.5, 1, 0.25}, {0, 0.25, 3}};
  const Eigen::VectorXd u{{0.2, 0.3, 0.5}};
  NnQpSolver solver;
  EXPECT_EQ(solver.solve(gramian, u).weights, u);
}

TEST(NnQp, OpposedRowsCancel) {
  const Eigen::MatrixXd rows{{2, 0}, {-1, 0}};
  NnQpSolver solver;
  const Solution& solution = solver.solve(gramian_of(rows), Eigen::Vector2d(1, 0));
  EXPECT_NEAR(solution.weights[1], 2, tolerance.simplex);
  EXPECT_NEAR(solution.objective, 0, tolerance.simplex);
}

TEST(NnQp, BadInputIsUnusable) {
  NnQpSolver solver;
  const Eigen::MatrixXd gramian = Eigen::MatrixXd::Identity(2, 2);
  EXPECT_EQ(solver.solve(gramian, Eigen::Vector3d::Ones()).status, QpStatus::bad_input);
  EXPECT_EQ(solver.solve(-gramian, Eigen::Vector2d::Ones()).status, QpStatus::bad_input);
  EXPECT_EQ(solver.solve(gramian, Eigen::Vector2d(1, NAN)).status, QpStatus::bad_input);
  EXPECT_TRUE(solver.solve(gramian, Eigen::Vector2d(1, NAN)).weights.array().isNaN().all());
}

TEST(NnQpResidual, ShowsAWrongAnswer) {
  for_each_bound(75, [](const Eigen::MatrixXd& rows, const Eigen::VectorXd& u, const std::string& label) {
    NnQpSolver solver;
    const Eigen::MatrixXd gramian = gramian_of(rows);
    Eigen::VectorXd v = solver.solve(gramian, u).weights;
    Eigen::Index longest;
    if (rows.rowwise().norm().maxCoeff(&longest) == 0) return;
    v[longest] = u[longest] - tolerance.perturbation * (1 + std::abs(u[longest]));
    EXPECT_GE(nn_kkt_residual(gramian, u, v), tolerance.visible_residual) << label;
  });
}

}  // namespace
}  // namespace moblo::qp::testing::nn_qp_test
