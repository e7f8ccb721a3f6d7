#include <gtest/gtest.h>

#include <vector>

#include "families.hpp"
#include "moblo/qp/forum_dual.hpp"
#include "moblo/qp/min_norm.hpp"
#include "tests/golden.hpp"

namespace moblo::qp::testing::golden_test {
namespace {

using json = Json;

json golden_cases() {
  return golden::cases("qp.json");
}

Eigen::MatrixXd read_gramian(const json& golden) {
  const auto rows = golden.at("gramian").get<std::vector<std::vector<double>>>();
  const auto size = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd gramian(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j)
      gramian(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  return gramian;
}

/// The objective is compared more sharply than the weights: an interior point is off by the root of its gap.
void expect_same(const Solution& solution, const json& golden) {
  ASSERT_TRUE(solution.certified());
  const auto weights = golden.at("weights").get<std::vector<double>>();
  const double objective = golden.at("objective").get<double>();
  EXPECT_NEAR(solution.objective, objective, tolerance.golden_objective * (1 + std::abs(objective)));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_NEAR(solution.weights[static_cast<Eigen::Index>(i)], weights[i], tolerance.golden);
  }
  if (golden.contains("multiplier")) {
    EXPECT_NEAR(solution.multiplier, golden.at("multiplier").get<double>(), tolerance.golden);
  }
}

TEST(Golden, MinNormAgreesWithCvxopt) {
  MinNormSolver solver;
  for (const json& golden : golden_cases()) {
    const int m = golden.at("m");
    solver.forget();
    expect_same(solver.solve(read_gramian(golden).topLeftCorner(m, m)), golden.at("min_norm"));
  }
}

void expect_duals_agree(Multiplier multiplier, const char* name) {
  ForumSolver solver;
  for (const json& golden : golden_cases()) {
    const Eigen::MatrixXd gramian = read_gramian(golden);
    solver.forget();
    expect_same(solver.solve({gramian, golden.at("phi"), multiplier, golden.at("floor")}), golden.at(name));
  }
}

Eigen::VectorXd read_vector(const json& values) {
  const auto read = values.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(read.data(), static_cast<Eigen::Index>(read.size()));
}

TEST(Golden, DualsWithMeritsAndLimitsAgreeWithCvxopt) {
  ForumSolver solver;
  for (const json& golden : golden::cases("qp_preference.json")) {
    const Eigen::MatrixXd gramian = read_gramian(golden);
    const Eigen::VectorXd merits = read_vector(golden.at("merits")), allowed = read_vector(golden.at("allowed"));
    for (const auto& [multiplier, name] : {std::pair{Multiplier::paper, "paper"}, {Multiplier::exact, "exact"}}) {
      solver.forget();
      const Solution& solution = solver.solve(
          {gramian, golden.at("phi"), multiplier, golden.at("floor"), merits, allowed, golden.at("limit_bound")});
      expect_same(solution, golden.at(name));
      const Eigen::VectorXd kappa = read_vector(golden.at(name).at("limit_multipliers"));
      EXPECT_LE((solution.limit_multipliers - kappa).norm(), 10 * tolerance.golden);
    }
  }
}

TEST(Golden, PapersDualAgreesWithCvxopt) {
  expect_duals_agree(Multiplier::paper, "paper");
}
TEST(Golden, ExactDualAgreesWithCvxopt) {
  expect_duals_agree(Multiplier::exact, "exact");
}

}  // namespace
}  // namespace moblo::qp::testing::golden_test
