#include "moblo/training/refit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/base/error.hpp"
#include "moblo/conformance/synthetic.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/training/training.hpp"

namespace moblo::training::refit_test {
namespace {

using lab::problems::NoisyRegression;

TrainingOptions options_of(std::int64_t iterations) {
  TrainingOptions options;
  options.iterations = iterations;
  options.optimiser.alpha.step_size = options.optimiser.omega.step_size = 0.3;
  return options;
}

Forum forum() {
  return Forum({.inner_steps = 5, .inner_step_size = 0.05, .rho = 0.3});
}

bool warns_of(const Summary& summary, const std::string& words) {
  return std::any_of(summary.warnings.begin(), summary.warnings.end(),
                     [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

TEST(Refit, MeasuresTheLowerSolutionAtTheRunsAlpha) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  const auto both = refit(problem, {.steps = 500, .optimiser = {.step_size = 0.3}});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->joint.losses, (std::vector<double>{1 + 1, 4 + 1}));  // omega = (0, 3)
  EXPECT_NEAR(both->alone.losses[0], 1, 1e-9);                         // omega*(2) = (2, 2)
  EXPECT_NEAR(both->alone.losses[1], 0, 1e-9);
  EXPECT_NEAR(both->alone.lower_loss, 0, 1e-9);
}

TEST(Refit, LeavesParametersAndStreamsAsTheyWere) {
  NoisyRegression problem({}, 3);
  problem.upper_batches().seek(5);
  problem.lower_batches().seek(7);
  const auto omega = problem.lower().values().detach().clone(), alpha = problem.upper().tables()[0].values.clone();
  ASSERT_TRUE(refit(problem, {.steps = 50, .optimiser = {.step_size = 0.05}}));
  EXPECT_TRUE(torch::equal(problem.lower().values(), omega));
  EXPECT_TRUE(torch::equal(problem.upper().tables()[0].values, alpha));
  EXPECT_EQ(problem.upper_batches().position(), 5);
  EXPECT_EQ(problem.lower_batches().position(), 7);
}

TEST(Refit, EndsARunOnTwoLevelsUnlessItIsSwitchedOff) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  auto options = options_of(20);
  const auto summary = train(problem, forum(), options);
  ASSERT_TRUE(summary.refit);
  EXPECT_EQ(summary.refit->from, "fresh");
  EXPECT_EQ(summary.refit->steps, 20 * (5 + 1 + 2) / 10);  // T lower gradients, f at w~_T, two upper ones
  options.refit = RefitStart::off;
  EXPECT_FALSE(train(problem, forum(), options).refit);
}

TEST(Refit, TakesAsManyStepsAsAreAskedFor) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  auto options = options_of(20);
  options.refit_steps = 123;
  EXPECT_EQ(train(problem, forum(), options).refit->steps, 123);
  options.refit = RefitStart::off;  // a preset's refit_steps must not stand in the way of --set refit=off
  EXPECT_FALSE(train(problem, forum(), options).refit);
}

TEST(Refit, EndsWhenItsTimeIsOver) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  const base::Stopwatch watch;
  const auto both = refit(problem, {.steps = 1000000000, .seconds = 0.3});
  EXPECT_LT(watch.seconds(), 3);
  ASSERT_TRUE(both);
  EXPECT_GT(both->steps, 0);
  EXPECT_LT(both->steps, 1000000000);
  EXPECT_EQ(both->steps_of_model, both->steps);
}

TEST(Refit, OfTooLittleTimeIsNone) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  EXPECT_FALSE(refit(problem, {.steps = 100, .seconds = 1e-9}));
}

TEST(Refit, IsSkippedWhereTheRunUsedUpItsSeconds) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  auto options = options_of(1000000000);
  options.stop.seconds = 0.05;
  const auto summary = train(problem, forum(), options);
  EXPECT_EQ(summary.status, RunStatus::time_limit);
  EXPECT_FALSE(summary.refit);
  EXPECT_TRUE(warns_of(summary, "no refit: stop.seconds = 0.05"));
}

TEST(Refit, TakesATenthOfTheSecondsAtMost) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  auto options = options_of(5);
  options.refit_steps = 1000000000;
  options.stop.seconds = 4;
  const auto summary = train(problem, forum(), options);
  EXPECT_EQ(summary.status, RunStatus::completed);
  EXPECT_LT(summary.seconds, 3);
  ASSERT_TRUE(summary.refit);
  EXPECT_LT(summary.refit->steps, options.refit_steps);
  EXPECT_TRUE(warns_of(summary, "a refit of"));
  EXPECT_TRUE(warns_of(summary, "--steps 1000000000"));
}

TEST(Refit, SaysNothingOfTimeThatWasEnough) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  auto options = options_of(5);
  options.stop.seconds = 600;
  const auto summary = train(problem, forum(), options);
  EXPECT_TRUE(summary.refit);
  EXPECT_FALSE(warns_of(summary, "refit"));
}

}  // namespace
}  // namespace moblo::training::refit_test
