#include <gtest/gtest.h>

#include <cmath>

#include "moblo/base/error.hpp"
#include "moblo/conformance/synthetic.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/methods/moco.hpp"
#include "moblo/methods/moml.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/solver.hpp"
#include "moblo/training/training.hpp"

namespace moblo::methods::preference_test {
namespace {

TrainingOptions training(std::int64_t iterations) {
  TrainingOptions options{.iterations = iterations, .refit = RefitStart::off};
  options.optimiser.alpha.step_size = options.optimiser.omega.step_size = 0.2;
  return options;
}

/// On the front of the synthetic problem F = ((c - 1)^2, (2 - c)^2), 1 <= c <= 2.
std::vector<double> on_the_ray(double r_1, double r_2) {
  const double share = 1 / (1 + std::sqrt(r_1 / r_2));
  return {share * share, (1 - share) * (1 - share)};
}

struct Trained {
  Summary summary;
  std::vector<double> losses;
};

Trained trained(const std::string& method, Json options, std::int64_t iterations) {
  options.update({{"inner_steps", 12}, {"inner_step_size", 0.4}});
  conformance::Synthetic problem{conformance::SyntheticOptions{}};
  const auto made = make_method(method, options);
  const Summary summary = train(problem, *made, training(iterations));
  return {summary, summary.losses};
}

void expect_on_the_ray(const std::string& method, Json options, double r_1, double r_2, std::int64_t iterations) {
  options["preference"] = {r_1, r_2};
  const auto [summary, losses] = trained(method, options, iterations);
  ASSERT_EQ(summary.status, RunStatus::completed) << method << ": " << summary.message;
  const auto exact = on_the_ray(r_1, r_2);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(losses[i], exact[i], 2e-3) << method << " " << r_1 << ":" << r_2;
}

TEST(Preference, EveryMethodThatTakesOneReachesItsRay) {
  for (const auto& [r_1, r_2] : {std::pair{1.0, 1.0}, {4.0, 1.0}, {0.1, 1.0}}) {
    for (const std::string method : {"forum", "moml", "wc_mhgd"})
      expect_on_the_ray(method, Json::object(), r_1, r_2, 250);
  }
}

TEST(Preference, MocoReachesItsRayAsSlowlyAsItsWeightsMove) {
  for (const double r_1 : {1.0, 2.0}) expect_on_the_ray("moco", {{"gamma", 1}, {"gamma_exponent", 0}}, r_1, 1, 600);
}

TEST(Preference, OnlyTheRatioCounts) {
  const auto once = trained("forum", {{"preference", {2, 1}}}, 40),
             thrice = trained("forum", {{"preference", {6, 3}}}, 40);
  EXPECT_EQ(once.losses, thrice.losses);
}

TEST(Preference, ReferencePointMovesTheRay) {
  const auto [summary, losses] = trained("forum", {{"preference", {1, 1}}, {"reference", {0, -0.5}}}, 300);
  EXPECT_NEAR(losses[0], losses[1] + 0.5, 1e-6);
}

TEST(Preference, ReferencePointAboveTheLossesIsLowered) {
  const auto [summary, losses] = trained("forum", {{"preference", {1, 1}}, {"reference", {5, 5}}}, 300);
  EXPECT_EQ(summary.status, RunStatus::completed);
  for (const double loss : losses) EXPECT_TRUE(loss >= 0 && loss <= 1);
}

TEST(Limits, AreMetAndTheOthersOptimalUnderThem) {
  for (const std::string method : {"forum", "moml"}) {
    for (const double limit : {0.04, 0.25, 0.64}) {
      const auto [summary, losses] = trained(method, {{"limits", {{"F2", limit}}}}, 700);
      ASSERT_EQ(summary.status, RunStatus::completed) << method << ": " << summary.message;
      EXPECT_NEAR(losses[1], limit, 1e-6) << method;
      EXPECT_NEAR(losses[0], std::pow(1 - std::sqrt(limit), 2), 1e-6) << method;
    }
  }
}

TEST(Limits, OfMocoAreMetWithItsTracker) {
  const auto [summary, losses] = trained("moco", {{"limits", {{"F2", 0.25}}}}, 400);
  ASSERT_EQ(summary.status, RunStatus::completed) << summary.message;
  EXPECT_NEAR(losses[1], 0.25, 1e-3);
  EXPECT_NEAR(losses[0], 0.25, 1e-3);
}

TEST(Limits, ThatNothingReachesAreReportedWithHowCloseItCame) {
  const auto [summary, losses] = trained("forum", {{"limits", {{"F2", -1}}}}, 300);
  EXPECT_EQ(summary.status, RunStatus::limits_not_met);
  EXPECT_FALSE(succeeded(summary.status));
  EXPECT_LT(losses[1], 1e-3);  // as close as it goes
  EXPECT_NE(summary.message.find("F2"), std::string::npos);
  EXPECT_NE(summary.message.find("limit -1"), std::string::npos) << summary.message;
  EXPECT_NE(summary.message.find("closest"), std::string::npos) << summary.message;
}

TEST(Limits, ThatAreSlackChangeNothingAtTheEnd) {
  const auto [summary, losses] = trained("forum", {{"limits", {{"F2", 3}}}}, 250);
  ASSERT_EQ(summary.status, RunStatus::completed) << summary.message;
  EXPECT_NEAR(losses[0], 0, 1e-6);
  EXPECT_NEAR(losses[1], 1, 1e-3);
}

void expect_refusal(const Json& options, const std::string& part) {
  conformance::Synthetic problem{conformance::SyntheticOptions{}};
  try {
    train(problem, *make_method("forum", options), training(1));
    ADD_FAILURE() << options.dump() << " was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Preference, WhatMakesNoSenseIsRefusedBeforeTheFirstStep) {
  expect_refusal({{"preference", {1, 2, 3}}}, "2 objectives");
  expect_refusal({{"preference", {1, 0}}}, "preference");
  expect_refusal({{"reference", {1}}}, "2 objectives");
  expect_refusal({{"limits", {{"gap", 1}}}}, "F1, F2");
  expect_refusal({{"limits", {{"F1", 1}, {"F2", 1}}}}, "every objective");
  expect_refusal({{"limits", {{"F1", "low"}}}}, "F1");
}

TEST(Preference, OtherWeightingsOfMomlRefuseIt) {
  EXPECT_THROW(make_method("moml", {{"weighting", "pcgrad"}, {"preference", {1, 2}}}), Error);
}

TEST(Preference, AResumedRunEqualsTheUninterruptedOne) {
  for (const std::string method : {"forum", "moml", "moco"}) {
    const Json options{{"preference", {3, 1}}, {"inner_steps", 5}};
    const Json limited{{"limits", {{"F1", 0.3}}}, {"inner_steps", 5}};
    for (const auto& given : {options, limited}) {
      conformance::Synthetic one{conformance::SyntheticOptions{}}, two{conformance::SyntheticOptions{}};
      const auto first = make_method(method, given), second = make_method(method, given),
                 third = make_method(method, given);
      Solver whole(one, *first, training(12)), begun(two, *second, training(12));
      for (int k = 0; k < 12; ++k) whole.step();
      for (int k = 0; k < 5; ++k) begun.step();
      const auto state = begun.save();
      conformance::Synthetic fresh{conformance::SyntheticOptions{}};
      Solver resumed(fresh, *third, training(12), &state);
      for (int k = 5; k < 12; ++k) resumed.step();
      EXPECT_EQ(whole.summary().losses, resumed.summary().losses) << method << given.dump();
      EXPECT_EQ(whole.summary().weights, resumed.summary().weights) << method << given.dump();
    }
  }
}

}  // namespace
}  // namespace moblo::methods::preference_test
