#include "lab/problems/decays.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "moblo/gradients/gradient_check.hpp"
#include "moblo/training/refit.hpp"

namespace moblo::lab::problems {
namespace {

TEST(Decays, StartsNextToUnregularised) {
  Decays problem({}, 0);
  const auto evaluation = problem.evaluate();
  const std::map<std::string, double> metrics(evaluation.begin(), evaluation.end());
  EXPECT_NEAR(metrics.at("decay / layer 1"), 1e-3, 1e-8);
  EXPECT_NEAR(metrics.at("smoothing"), 0.01, 1e-6);
  EXPECT_EQ(problem.upper().size(), 4);
}

TEST(Decays, HasTheGradientsOfItsLosses) {
  Decays problem({.hidden = 4, .dtype = Dtype::f64}, 1);
  const auto report = check_gradients(problem);
  EXPECT_TRUE(report.passed) << report.largest_error;
}

/// f at w = 0 knows nothing of the labels: -log(1 / classes), whatever the smoothing, and no decay counts.
TEST(Decays, LowerLossOfZeroWeightsIsThatOfGuessing) {
  Decays problem({.dtype = Dtype::f64}, 1);
  const torch::NoGradGuard no_grad;
  problem.lower().values().zero_();
  EXPECT_NEAR(problem.lower_loss(problem.lower_batches().at(0)).item().toDouble(), std::log(4), 1e-12);
}

/// Otherwise there would be nothing to find.
TEST(Decays, MoreDecayThanAtTheStartPays) {
  Decays problem({}, 0);
  const RefitOptions how{.steps = 1500, .optimiser = {.step_size = 0.2}};
  const auto start = refit(problem, how);
  {
    const torch::NoGradGuard no_grad;
    problem.upper().values().slice(0, 0, 3).fill_(std::log(0.02));
  }
  const auto decayed = refit(problem, how);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(decayed->alone.losses[i], 0.9 * start->alone.losses[i]) << i;
}

}  // namespace
}  // namespace moblo::lab::problems
