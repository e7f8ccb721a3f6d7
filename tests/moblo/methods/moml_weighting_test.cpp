// MOML with any weighting: which weights it takes, that its state survives, and what is refused.
#include <gtest/gtest.h>

#include <string>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/aggregation/aggregate.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/error.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "moblo/gradients/hypergradient.hpp"
#include "moblo/methods/moml.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/training.hpp"

namespace moblo::methods::moml_weighting_test {
namespace {

struct Watch : RunObserver {
  void stepped(const StepRecord& record, const StepTiming&) override { records.push_back(record); }
  void saved(std::int64_t, const Snapshot& state) override { last = state; }
  std::vector<StepRecord> records;
  Snapshot last;
};

Summary run(BilevelProblem& problem, Method& method, std::int64_t iterations, Watch& watch,
            const Snapshot* resume = nullptr) {
  TrainingOptions options;
  options.iterations = iterations;
  options.refit = RefitStart::off;
  options.optimiser.alpha.step_size = options.optimiser.omega.step_size = 0.1;
  RunControl control;
  control.observers = {&watch};
  control.resume = resume;
  return train(problem, method, options, control);
}

std::string refusal(const Json& options) {
  try {
    make_method("moml", options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MomlWeighting, EveryWeightingRunsAndResumesToTheSameBits) {
  for (const auto& info : weighting_catalogue()) {
    const Json options{{"inner_steps", 5}, {"inner_step_size", 0.5}, {"weighting", info.name}};
    conformance::Quadratic whole({}, 1), broken({}, 1), again({}, 1);
    Watch all, first, second;
    const auto summary = run(whole, *make_method("moml", options), 12, all);
    ASSERT_EQ(summary.status, RunStatus::completed) << info.name << ": " << summary.message;
    run(broken, *make_method("moml", options), 5, first);
    run(again, *make_method("moml", options), 12, second, &first.last);
    EXPECT_TRUE(torch::equal(whole.upper().values(), again.upper().values())) << info.name;
    EXPECT_TRUE(torch::equal(whole.lower().values(), again.lower().values())) << info.name;
  }
}

TEST(MomlWeighting, WeightsAreThoseOfTheHypergradientsGramian) {
  for (const auto* name : {"mgda", "upgrad", "nashmtl", "cagrad", "imtl"}) {
    conformance::Quadratic problem({}, 2), same({}, 2);
    gradients::HypergradientSolve how;
    how.inner = {.steps = 5, .step_size = 0.5};
    gradients::GradientMatrix matrix;
    PhaseTimer timer;
    {
      const problem::SlicesOpen slices(same.upper());
      gradients::hypergradients(same, how, 3, matrix, timer);
    }
    const auto& info = find_weighting(name, "test");
    const auto weighting = info.make(info.resolve(Json::object(), {}));
    weighting->start(3);
    const auto expected =
        aggregate_gramian(*weighting, matrix.gramian(), {.losses = Eigen::VectorXd::Ones(3), .gramian = {}}).weights;
    Watch watch;
    Moml method({.inner_steps = 5, .inner_step_size = 0.5, .weighting = name});
    run(problem, method, 1, watch);
    ASSERT_EQ(watch.records.size(), 1U);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(watch.records[0].weights[static_cast<std::size_t>(i)], expected.shared(i)) << name;
    }
  }
}

TEST(MomlWeighting, ReachesTheParetoSetWithUpgradAndCagrad) {
  for (const auto* name : {"upgrad", "cagrad"}) {
    conformance::Quadratic problem({}, 1);
    Watch watch;
    Moml method({.inner_steps = 5,
                 .inner_step_size = 1,
                 .hypergradient = HypergradientMode::cg,
                 .solver_steps = 10,
                 .weighting = name});
    run(problem, method, 1000, watch);
    EXPECT_LT(*problem.distance_to_solution_set(), 1e-2) << name;
  }
}

TEST(MomlWeighting, AStateOfBeforeTheOptionIsRead) {
  conformance::Quadratic problem({}, 1), again({}, 1);
  Watch first, second;
  Moml method({.inner_steps = 5}), other({.inner_steps = 5});
  run(problem, method, 5, first);
  auto old = first.last;
  old.values["method"]["free_set"] = old.values["method"]["weighting"]["free_set"];
  old.values["method"].erase("weighting");
  EXPECT_EQ(run(again, other, 6, second, &old).status, RunStatus::completed);
}

TEST(MomlWeighting, WhatCannotBeIsRefusedInWords) {
  EXPECT_NE(refusal({{"weighting", "upgrd"}}).find("upgrad"), std::string::npos);
  EXPECT_NE(refusal({{"weighting", "cagrad"}, {"weighting_options", {{"c", 0.5}}}}).find("weighting_options"),
            std::string::npos);
  EXPECT_EQ(refusal({{"weighting", "cagrad"}, {"weighting_options", {{"radius", 0.5}}}}), "");
  EXPECT_NE(refusal({{"inner_steps", 0}}).find("inner_start"), std::string::npos);
  lab::problems::NoisyRegression per_sample({.samples = 40, .trusted = 40, .batch = 10}, 1);
  Watch watch;
  for (const auto* name : {"dbmtl", "modo"}) {
    Moml method({.inner_steps = 2, .weighting = name});
    EXPECT_THROW(run(per_sample, method, 2, watch), Error) << name;
  }
}

}  // namespace
}  // namespace moblo::methods::moml_weighting_test
