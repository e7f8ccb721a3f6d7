#include "moblo/training/solver.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/base/error.hpp"
#include "moblo/conformance/synthetic.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::training::solver_test {
namespace {

TrainingOptions training(std::int64_t iterations) {
  TrainingOptions options;
  options.iterations = iterations;
  options.refit = RefitStart::off;
  options.optimiser.omega.kind = OptimiserKind::adam;
  options.optimiser.omega.step_size = 0.01;
  return options;
}

/// Noisy regression on mini-batches and rows, a loss of which throws at one of its evaluations.
class Fragile : public lab::problems::NoisyRegression {
 public:
  Fragile() : NoisyRegression({}, 1) {}
  torch::Tensor lower_loss(const Batch& batch) override {
    if (--left == 0) {
      if (interrupts) throw Interrupted();
      throw std::runtime_error("out of luck");
    }
    return NoisyRegression::lower_loss(batch);
  }
  std::int64_t left = -1;
  bool interrupts = false;
};

torch::Tensor point(BilevelProblem& problem) {
  std::vector<torch::Tensor> all;
  for (auto* pack : {&problem.upper(), &problem.lower()}) {
    all.push_back(pack->values().detach().clone());
    for (const auto& table : pack->tables()) all.push_back(table.values.reshape({-1}).clone());
  }
  return torch::cat(all);
}

class EveryMethodThatSteps : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryMethodThatSteps, GivesTheNumbersOfTrain) {
  Fragile whole, stepped;
  const auto method = make_method(GetParam(), {{"inner_steps", 3}}),
             same = make_method(GetParam(), {{"inner_steps", 3}});
  const auto summary = train(whole, *method, training(12));
  Solver solver(stepped, *same, training(12));
  for (int k = 0; k < 12; ++k) EXPECT_EQ(solver.step().k, k);
  EXPECT_TRUE(torch::equal(point(whole), point(stepped)));
  EXPECT_EQ(solver.summary().losses, summary.losses);
}

TEST_P(EveryMethodThatSteps, IsAsItWasAfterAStepThatThrew) {
  for (const std::int64_t failing : {1, 2, 3, 4}) {  // evaluations within a step
    Fragile whole, fragile;
    const auto method = make_method(GetParam(), {{"inner_steps", 3}}),
               same = make_method(GetParam(), {{"inner_steps", 3}});
    Solver plain(whole, *method, training(12)), solver(fragile, *same, training(12));
    for (int k = 0; k < 6; ++k) {
      const auto before = point(fragile);
      fragile.left = failing;
      EXPECT_THROW(solver.step(), std::runtime_error);
      fragile.left = -1;
      EXPECT_TRUE(torch::equal(before, point(fragile)));
      EXPECT_EQ(solver.step(), plain.step());
    }
    EXPECT_TRUE(torch::equal(point(whole), point(fragile)));
  }
}

TEST_P(EveryMethodThatSteps, GoesOnFromASavedState) {
  Fragile whole, resumed;
  const auto method = make_method(GetParam(), {{"inner_steps", 3}}),
             same = make_method(GetParam(), {{"inner_steps", 3}});
  Solver solver(whole, *method, training(12));
  for (int k = 0; k < 5; ++k) solver.step();
  const Snapshot state = solver.save();
  for (int k = 0; k < 5; ++k) solver.step();
  Solver again(resumed, *same, training(12), &state);
  for (int k = 0; k < 5; ++k) again.step();
  EXPECT_TRUE(torch::equal(point(whole), point(resumed)));
}

TEST_P(EveryMethodThatSteps, ResumesToTheSameBitsAfterAnInterruptionInTheMiddleOfAStep) {
  class LastState : public RunObserver {
   public:
    void saved(std::int64_t, const Snapshot& state) override { last = state; }
    Snapshot last;
  };
  for (const bool interrupts : {true, false}) {
    Fragile whole, broken, resumed;
    const auto make = [] { return make_method(GetParam(), {{"inner_steps", 3}}); };
    train(whole, *make(), training(12));
    broken.left = 23;
    broken.interrupts = interrupts;
    LastState observer;
    std::exception_ptr failure;
    RunControl control;
    control.observers = {&observer};
    control.failure = &failure;
    const auto ended = train(broken, *make(), training(12), control);
    EXPECT_EQ(ended.status, interrupts ? RunStatus::interrupted : RunStatus::failed);
    EXPECT_EQ(failure == nullptr, interrupts);
    RunControl resume;
    resume.resume = &observer.last;
    train(resumed, *make(), training(12), resume);
    EXPECT_TRUE(torch::equal(point(whole), point(resumed)));
  }
}

INSTANTIATE_TEST_SUITE_P(Solver, EveryMethodThatSteps,
                         ::testing::Values("forum", "moml", "moco", "bome", "bvfim", "morbit", "f2sa"),
                         [](const auto& each) { return std::string(each.param); });

TEST(Solver, IsRefusedWhereTheProblemIsInARun) {
  conformance::Synthetic problem;
  Forum first, second;
  const Solver solver(problem, first);
  EXPECT_THROW(Solver(problem, second), Error);
}

TEST(Solver, StaysAtTheLastFinitePoint) {
  conformance::Synthetic problem;
  Forum forum({.inner_steps = 3, .inner_step_size = 0.1});
  auto options = training(100);
  options.optimiser.alpha.step_size = options.optimiser.omega.step_size = 1e200;
  options.optimiser.omega.kind = OptimiserKind::sgd;
  Solver solver(problem, forum, options);
  EXPECT_THROW(for (int k = 0; k < 100; ++k) solver.step(), NotFinite);
  EXPECT_TRUE(point(problem).isfinite().all().item().toBool());
}

}  // namespace
}  // namespace moblo::training::solver_test
