#include "moblo/methods/morbit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "moblo/conformance/quadratic.hpp"
#include "moblo/conformance/synthetic.hpp"
#include "tests/moblo/methods/recorded.hpp"

namespace moblo::methods::morbit_test {
namespace {

TEST(Morbit, MakesBothObjectivesEqualWhereThatMinimisesTheLarger) {
  // On the solutions a = w_1 = w_2 = c the objectives are (c - 1)^2 and (c - 2)^2.
  for (const double start : {0.0, 2.0}) {
    conformance::Synthetic problem({.alpha = start, .omega = {0, 3}});
    const auto run = recorded(problem, "morbit", {{"inner_step_size", 0.25}, {"gamma", 0.1}, {"gamma_exponent", 0.3}},
                              plain_steps(400, 0.3, 0.25));
    EXPECT_NEAR(run.summary.alpha[0], 1.5, 1e-3);
    EXPECT_LT(run.records.back().qp_residual, 1e-3);  // the complementarity gap
    EXPECT_GT(run.records.front().qp_residual, 0.1);
  }
}

TEST(Morbit, FindsTheMinMaxPointOfAQuadratic) {
  conformance::Quadratic problem({.n = 2, .p = 4, .m = 2, .condition = 3}, 3);
  recorded(
      problem, "morbit",
      {{"hypergradient", "cg"}, {"inner_steps", 5}, {"inner_step_size", 0.9}, {"gamma", 0.1}, {"gamma_exponent", 0}},
      plain_steps(600, 0.3, 0.9));
  const Eigen::VectorXd found = problem.alpha();
  // h_i(found) is the gradient of the reduced objective i: a min-max point has them opposed, or is the minimiser of the
  // larger one alone.
  const auto largest = [&] {
    double value = -1;
    for (const auto& loss : problem.upper_losses({})) value = std::max(value, loss.item().toDouble());
    return value;
  };
  const double reached = largest();
  const auto& alpha = problem.upper().values();
  const auto& omega = problem.lower().values();
  for (int i = 0; i < 16; ++i) {  // no direction along the lower solutions makes the larger one smaller
    const Eigen::VectorXd there = found + 0.05 * Eigen::Vector2d(std::cos(0.3927 * i), std::sin(0.3927 * i));
    const Eigen::VectorXd solution = problem.lower_solution(there);
    for (Eigen::Index j = 0; j < 2; ++j) alpha[j].fill_(there(j));
    for (Eigen::Index j = 0; j < solution.size(); ++j) omega[j].fill_(solution(j));
    EXPECT_GT(largest(), reached) << i;
  }
}

TEST(Morbit, LambdaAndAlphaMoveAtTheSameTime) {
  conformance::Quadratic problem({.m = 2}, 1);
  const auto run = recorded(problem, "morbit", {{"gamma", 0.01}, {"gamma_exponent", 0}}, plain_steps(2, 1e-12, 0.1));
  EXPECT_EQ(run.records[0].weights, (std::vector<double>{0.5, 0.5}));  // lambda_0, though F is known
  const double shift = 0.005 * (run.records[0].losses[0] - run.records[0].losses[1]);
  EXPECT_NEAR(run.records[1].weights[0], 0.5 + shift, 1e-12);
}

}  // namespace
}  // namespace moblo::methods::morbit_test
