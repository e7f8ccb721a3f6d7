// Per-row lower parameters through whole runs: each row a task, mini-batches of tasks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "moblo/base/error.hpp"
#include "moblo/methods/bome.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/methods/moml.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/refit.hpp"
#include "moblo/training/state.hpp"
#include "moblo/training/training.hpp"
#include "tests/moblo/gradients/learned_start.hpp"

namespace moblo::training::lower_rows_test {
namespace {

using testing_problems::LearnedStart;

/// f = sum_j |w_j - c_j|^2 / 2,  F = mean_j |w_j - alpha|^2 / 2 + |alpha - 3|^2 / 2: rows end at c_j, whatever batches
/// they came in, and alpha at (mean of c + 3) / 2.
class Targets : public BilevelProblem {
 public:
  Targets() {
    upper_.add("alpha", alpha);
    lower_.add_rows("w", rows);
  }
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    const auto w = lower_.rows("w", batch.parts[0].indices);
    return {(w - alpha).square().mean() / 2 + (alpha - 3).square().sum() / 2};
  }
  torch::Tensor lower_loss(const Batch& batch) override {
    const auto w = lower_.rows("w", batch.parts[0].indices);
    return (w - targets.index_select(0, batch.parts[0].indices)).square().sum() / 2 + 0 * alpha.sum();
  }
  BatchStream& upper_batches() override { return upper_stream_; }
  BatchStream& lower_batches() override { return lower_stream_; }

  torch::Tensor alpha = torch::zeros({1}, torch::kFloat64);
  torch::Tensor targets = torch::arange(6, torch::kFloat64), rows = torch::full({6}, 10.0, torch::kFloat64);

 private:
  struct Pairs : BatchStream {
    Batch at(std::int64_t k) override {
      return {.number = k, .parts = {{torch::tensor({(2 * k) % 6, (2 * k + 1) % 6}), {}, {}}}, .inputs = {}};
    }
  };
  Pairs upper_stream_, lower_stream_;
};

TrainingOptions options(std::int64_t iterations) {
  TrainingOptions all;
  all.iterations = iterations;
  all.optimiser.alpha.step_size = 0.1;
  all.optimiser.omega.step_size = 0.3;
  return all;
}

TEST(LowerRows, EveryTaskReachesItsOwnSolution) {
  Targets problem;
  const auto summary = train(problem, Moml({.inner_steps = 3, .inner_batches = InnerBatches::one}), options(600));
  ASSERT_EQ(summary.status, RunStatus::completed) << summary.message;
  EXPECT_LT((problem.rows - problem.targets).abs().max().item().toDouble(), 1e-12);
  EXPECT_EQ(summary.omega.size(), 6U);
}

TEST(LowerRows, ValueFunctionMethodsMoveTheRowsOfTheBatchOnly) {
  Targets problem;
  const auto summary = train(problem, Forum({.inner_steps = 3, .inner_batches = InnerBatches::one}), options(1));
  ASSERT_EQ(summary.status, RunStatus::completed) << summary.message;
  EXPECT_NE(problem.rows[0].item().toDouble(), 10);
  EXPECT_NE(problem.rows[1].item().toDouble(), 10);
  for (int i = 2; i < 6; ++i) EXPECT_EQ(problem.rows[i].item().toDouble(), 10);
}

TEST(LowerRows, FreshBatchesOfOtherTasksAreRefusedInWords) {
  Targets problem;
  const auto summary = train(problem, Moml({.inner_steps = 3}), options(2));
  EXPECT_EQ(summary.status, RunStatus::failed);
  EXPECT_NE(summary.message.find("Take inner_batches = \"one\""), std::string::npos) << summary.message;
}

TEST(LowerRows, SearchMethodsAndAStartAtOmegaZeroAreRefused) {
  Targets problem;
  EXPECT_THROW(train(problem, *make_method("tpe"), options(2)), Error);
  EXPECT_THROW(train(problem, Bome({.inner_start = InnerStart::initial}), options(2)), Error);
}

TEST(LowerRows, ARefitSolvesEveryRowAndPutsThemBack) {
  Targets problem;
  RefitOptions refit_options;
  refit_options.steps = 300;
  refit_options.optimiser.step_size = 0.5;
  const auto found = refit(problem, refit_options);
  ASSERT_TRUE(found);
  EXPECT_LT(found->alone.lower_loss, 1e-12);
  EXPECT_GT(found->joint.lower_loss, 1);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(problem.rows[i].item().toDouble(), 10);
}

struct Saved : RunObserver {
  void saved(std::int64_t, const Snapshot& state) override { last = state; }
  Snapshot last;
};

/// Rows and alpha after ten iterations, of which the first ones in one run and the rest in another.
torch::Tensor rows_after(std::int64_t first, const std::string& name) {
  auto all = options(10);
  all.optimiser.omega.kind = OptimiserKind::adam;
  all.refit = RefitStart::off;
  Saved saved;
  LearnedStart problem({.rows = true, .proximal = 0.3});
  const Json settings = {{"inner_steps", 3}, {"inner_batches", "one"}};
  auto method = make_method(name, settings);
  RunControl control;
  control.observers = {&saved};
  auto part = all;
  part.iterations = first;
  train(problem, *method, part, control);
  if (first < 10) {
    LearnedStart again({.rows = true, .proximal = 0.3});
    auto other = make_method(name, settings);
    RunControl resumed;
    resumed.resume = &saved.last;
    train(again, *other, all, resumed);
    return torch::cat({again.table().view({-1}), again.start().detach()});
  }
  return torch::cat({problem.table().view({-1}), problem.start().detach()});
}

TEST(LowerRows, AResumedRunEqualsTheUninterruptedOne) {
  for (const auto* name : {"forum", "moml", "bome"}) {
    const auto whole = rows_after(10, name), broken = rows_after(4, name);
    EXPECT_TRUE(torch::equal(whole, broken)) << name;
  }
}

/// f is NaN once a row has passed 1e6.
struct Exploding : Targets {
  torch::Tensor lower_loss(const Batch& batch) override { return Targets::lower_loss(batch) * (bad() ? NAN : 1.0); }
  bool bad() const { return rows.abs().max().item().toDouble() > 1e6; }
};

TEST(LowerRows, AStepIntoNaNIsTakenBack) {
  Exploding problem;
  auto all = options(200);
  all.optimiser.omega.step_size = 50;
  const auto summary = train(problem, Moml({.inner_steps = 1, .inner_batches = InnerBatches::one}), all);
  EXPECT_EQ(summary.status, RunStatus::non_finite) << summary.message;
  EXPECT_FALSE(problem.bad());
}

TEST(LearnedStart, MomlLearnsAStartThatFewStepsMakeGood) {
  LearnedStart problem({.rows = true, .batch = 4});
  const auto summary = train(
      problem,
      Moml({.inner_steps = 3, .inner_start = InnerStart::upper, .inner_batches = InnerBatches::one, .weighting = "ew"}),
      options(800));
  ASSERT_EQ(summary.status, RunStatus::completed) << summary.message;
  EXPECT_LT(summary.kkt, 1e-10);
  EXPECT_TRUE(summary.warnings.empty()) << summary.warnings.front();
  EXPECT_FALSE(summary.refit);
}

TEST(LearnedStart, IsRefusedWhereTheMethodWouldNotSeeIt) {
  const auto refused = [](LearnedStart& problem, Method&& method) {
    try {
      train(problem, method, options(1));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const InnerStart upper = InnerStart::upper;
  const InnerBatches one = InnerBatches::one;
  LearnedStart plain({.rows = true}), proximal({.rows = true, .proximal = 0.3}), nameless({.upper_name = "begin"});
  for (const auto& said :
       {refused(plain, Forum({.inner_start = upper, .inner_batches = one})),
        refused(plain, Bome({.inner_start = upper, .inner_batches = one})),
        refused(plain, Moml({.inner_start = upper, .inner_batches = one, .hypergradient = HypergradientMode::cg}))}) {
    EXPECT_NE(said.find("gives alpha no gradient here"), std::string::npos) << said;
  }
  EXPECT_EQ(refused(proximal, Forum({.inner_start = upper, .inner_batches = one})), "");
  EXPECT_EQ(
      refused(proximal, Moml({.inner_start = upper, .inner_batches = one, .hypergradient = HypergradientMode::cg})),
      "");
  EXPECT_NE(refused(nameless, Moml({.inner_start = upper})).find("needs an upper parameter named 'w'"),
            std::string::npos);
}

}  // namespace
}  // namespace moblo::training::lower_rows_test
