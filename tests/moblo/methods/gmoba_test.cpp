#include "moblo/methods/gmoba.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "moblo/gradients/stationarity.hpp"
#include "tests/golden.hpp"
#include "tests/moblo/methods/recorded.hpp"
#include "tests/moblo/methods/small_problem.hpp"

namespace moblo::methods::gmoba_test {
namespace {

TEST(Gmoba, ItsSystemsTendToThoseOfTheHypergradients) {
  // alpha stands still: omega solves the lower problem, v_i its system, and h is the hypergradient.
  conformance::Quadratic problem({.n = 3, .p = 4, .m = 1, .condition = 3}, 4);
  const double exact = problem.hypergradients(problem.alpha()).row(0).norm();
  const auto run = recorded(problem, "gmoba", {{"system_step_size", 0.9}}, plain_steps(150, 1e-14, 0.9));
  EXPECT_NEAR(run.records.back().gradient_norms[0], exact, 1e-9 * exact);
  EXPECT_NEAR(run.records.back().kkt, exact * exact, 1e-9 * exact * exact);  // no residual is left
  EXPECT_GT(std::abs(run.records.front().gradient_norms[0] - exact), 0.01 * exact);
}

TEST(Gmoba, ItsFirstStationarityMeasureIsTheWholeGradientForTheMultipliersAreZero) {
  conformance::Quadratic problem({.n = 3, .p = 4, .m = 1}, 4);
  double square = 0;
  const auto loss = problem.upper_losses({})[0];
  for (const auto& slope : torch::autograd::grad({loss}, {problem.upper().leaves()[0], problem.lower().leaves()[0]})) {
    square += slope.square().sum().item().toDouble();
  }
  const auto run = recorded(problem, "gmoba", Json::object(), plain_steps(1, 0.1, 0.1));
  EXPECT_NEAR(run.records[0].kkt, square, 1e-12 * square);
}

TEST(Gmoba, TakesOneProductAnObjective) {
  conformance::Quadratic problem({.m = 3}, 1);
  const auto run = recorded(problem, "gmoba", Json::object(), plain_steps(2, 0.01, 0.1));
  EXPECT_EQ(run.records[1].gradients, (GradientCounts{.lower = 1, .upper = 3, .second_order = 3}));
}

TEST(Gmoba, NeedsAStronglyConvexLowerLoss) {
  const auto traits = make_method("gmoba")->traits();
  EXPECT_TRUE(problem::unsuitable(traits, lab::problems::noisy_regression_info().traits));
  EXPECT_FALSE(problem::unsuitable(traits, conformance::quadratic_info().traits));
}

/// The rows of both kinds against central differences of what they are gradients of.
TEST(Stationarity, RowsAreTheGradientsOfLagrangiansAndOfThePenalty) {
  const auto data = golden::read("bilevel_methods.json").at("problem");
  Small problem(data);
  auto& upper = problem.upper();
  auto& lower = problem.lower();
  const auto v = torch::tensor({{0.3, -1.0, 0.7}, {1.1, 0.4, -0.2}}, torch::kFloat64);
  gradients::GradientMatrix lagrangian, penalty;
  PhaseTimer timer;
  {
    const problem::SlicesOpen slices(upper);
    gradients::lagrangian_rows(problem, v, lagrangian, timer);
    gradients::penalty_rows(problem, 2, penalty, timer);
  }
  const auto slope = [&] { return torch::autograd::grad({problem.lower_loss({})}, {lower.leaves()[0]})[0].detach(); };
  const auto value = [&](std::int64_t i) {
    if (i == 2) return 0.5 * slope().square().sum().item().toDouble();
    return (problem.upper_losses({})[static_cast<std::size_t>(i)].detach() - torch::dot(v[i], slope()))
        .item()
        .toDouble();
  };
  const double step = 1e-5;
  const std::int64_t n = upper.dense_size();
  for (std::int64_t column = 0; column < n + lower.dense_size(); ++column) {
    const auto at = column < n ? upper.values()[column] : lower.values()[column - n];
    for (std::int64_t i = 0; i < 3; ++i) {
      at.add_(step);
      const double above = value(i);
      at.sub_(2 * step);
      const double below = value(i);
      at.add_(step);
      const auto& rows = i == 2 ? penalty : lagrangian;
      EXPECT_NEAR(rows.row(i)[column].item().toDouble(), (above - below) / (2 * step), 1e-7) << i << ", " << column;
    }
  }
}

}  // namespace
}  // namespace moblo::methods::gmoba_test
