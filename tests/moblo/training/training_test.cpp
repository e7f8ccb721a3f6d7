#include "moblo/training/training.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/base/error.hpp"
#include "moblo/conformance/synthetic.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/methods/moml.hpp"
#include "moblo/training/state.hpp"

namespace moblo::training::training_test {
namespace {

class Watch : public RunObserver {
 public:
  void stepped(const StepRecord& record, const StepTiming& timing) override {
    records.push_back(record);
    timings.push_back(timing);
    if (stop_after && record.k + 1 == *stop_after) stop = true;
  }
  void evaluated(const Evaluation& evaluation) override { evaluations.push_back(evaluation); }
  void saved(std::int64_t next_k, const Snapshot& state) override {
    saved_at.push_back(next_k);
    last = state;
  }

  std::vector<StepRecord> records;
  std::vector<StepTiming> timings;
  std::vector<Evaluation> evaluations;
  std::vector<std::int64_t> saved_at;
  Snapshot last;
  std::optional<std::int64_t> stop_after;
  std::atomic<bool> stop{false};
};

RunControl observed_by(Watch& watch) {
  RunControl control;
  control.observers = {&watch};
  control.stop_requested = &watch.stop;
  return control;
}

ForumOptions synthetic_forum() {
  return {.inner_steps = 50, .inner_step_size = 0.05, .rho = 0.3};
}

TrainingOptions training(std::int64_t iterations, double step_size = 0.3) {
  TrainingOptions options;
  options.iterations = iterations;
  options.optimiser.alpha.step_size = options.optimiser.omega.step_size = step_size;
  return options;
}

TEST(Training, StopsWhereKAndQAreSmall) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  Forum forum(synthetic_forum());
  auto options = training(100000);
  options.stop.kkt = 1e-6;
  options.stop.q = 1e-8;
  Watch watch;
  const auto summary = train(problem, forum, options, observed_by(watch));
  EXPECT_EQ(summary.status, RunStatus::converged);
  EXPECT_LT(summary.iterations, 100000);
  EXPECT_LE(watch.records.back().kkt, 1e-6);
  EXPECT_LE(watch.records.back().q, 1e-8);
  const auto& before = watch.records[watch.records.size() - 2];
  EXPECT_TRUE(before.kkt > 1e-6 || before.q > 1e-8);  // at the first record that meets both, not later
}

TEST(Training, StopsOnAPlateau) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  Forum forum(synthetic_forum());
  auto options = training(100000);
  options.stop.patience = 20;
  const auto summary = train(problem, forum, options);
  EXPECT_EQ(summary.status, RunStatus::plateau);
  EXPECT_LT(summary.iterations, 1000);
}

TEST(Training, StopsWhenTheTimeIsUp) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  Forum forum(synthetic_forum());
  auto options = training(1000000000);
  options.stop.seconds = 0.05;
  EXPECT_EQ(train(problem, forum, options).status, RunStatus::time_limit);
}

std::int64_t price_of(const std::vector<StepRecord>& records) {
  std::int64_t sum = 0;
  for (const auto& record : records) {
    const auto& [lower, upper, second_order] = record.gradients;
    sum += lower + upper + 2 * second_order;
  }
  return sum;
}

/// It ends with the step that reaches the bound, whatever a step costs.
template <class Solved>
void expect_end_at(std::int64_t bound, Solved solved) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  auto options = training(100000);
  options.stop.gradients = bound;
  Watch watch;
  const auto summary = train(problem, solved, options, observed_by(watch));
  EXPECT_EQ(summary.status, RunStatus::completed);
  EXPECT_NE(summary.message.find(std::to_string(bound)), std::string::npos) << summary.message;
  EXPECT_GE(price_of(watch.records), bound);
  watch.records.pop_back();
  EXPECT_LT(price_of(watch.records), bound);
}

TEST(Training, StopsWhenTheGradientsAreUsedUp) {
  for (const std::int64_t bound : {1, 500, 777}) {
    expect_end_at(bound, Forum(synthetic_forum()));
    expect_end_at(bound, Moml({.inner_steps = 10, .inner_step_size = 0.05}));
  }
}

TEST(Training, CountsTheGradientsOverResumes) {
  auto options = training(100000);
  options.stop.gradients = 2000;
  options.checkpoint_every = 7;
  conformance::Synthetic whole({.alpha = 2, .omega = {0, 3}});
  Forum forum(synthetic_forum());
  const auto uninterrupted = train(whole, forum, options);

  auto first = options;
  first.iterations = 10;
  conformance::Synthetic part({.alpha = 2, .omega = {0, 3}});
  Forum begun(synthetic_forum());
  Watch watch;
  train(part, begun, first, observed_by(watch));
  conformance::Synthetic rest({.alpha = 2, .omega = {0, 3}});
  Forum again(synthetic_forum());
  RunControl control;
  control.resume = &watch.last;
  const auto resumed = train(rest, again, options, control);
  EXPECT_GT(resumed.iterations, 10);
  EXPECT_EQ(resumed.iterations, uninterrupted.iterations);
  EXPECT_EQ(resumed.alpha, uninterrupted.alpha);
}

TEST(Training, SavesAtEveryCheckpointAndAtTheEnd) {
  conformance::Synthetic problem;
  Forum forum(synthetic_forum());
  auto options = training(25);
  options.checkpoint_every = 10;
  Watch watch;
  train(problem, forum, options, observed_by(watch));
  EXPECT_EQ(watch.saved_at, (std::vector<std::int64_t>{10, 20, 25}));
}

TEST(Training, EvaluatesMetricsAsOftenAsAskedAndAtTheEnd) {
  lab::problems::NoisyRegression problem({}, 0);
  Forum forum({.inner_steps = 2});
  auto options = training(25, 0.05);
  options.evaluate_every = 10;
  Watch watch;
  train(problem, forum, options, observed_by(watch));
  ASSERT_EQ(watch.evaluations.size(), 4U);
  EXPECT_EQ(watch.evaluations[3].k, 25);
  EXPECT_EQ(watch.evaluations[0].metrics.size(), 2U);
}

// All weights start equal, an area of one half; many wrong targets are close to the true ones, so it cannot reach one.
TEST(Training, LearnsWhichSamplesAreSpoilt) {
  lab::problems::NoisyRegression problem({}, 0);
  Forum forum({.inner_steps = 5, .inner_step_size = 0.2});
  auto options = training(1500, 0.2);
  options.optimiser.alpha.step_size = 20;
  Watch watch;
  train(problem, forum, options, observed_by(watch));
  for (const auto& [name, auc] : watch.evaluations.back().metrics) EXPECT_GT(auc, 0.7) << name;
}

TEST(Training, FinalMeasureLeavesNoTrace) {
  lab::problems::NoisyRegression once({}, 0), twice({}, 0);
  Forum one({.inner_steps = 2}), other({.inner_steps = 2});
  Watch watch_once, watch_twice, watch_rest;
  train(once, one, training(20, 0.05), observed_by(watch_once));
  train(twice, other, training(10, 0.05), observed_by(watch_twice));  // ends, is measured, and goes on
  auto control = observed_by(watch_rest);
  control.resume = &watch_twice.last;
  train(twice, other, training(20, 0.05), control);
  ASSERT_EQ(watch_rest.records.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(watch_rest.records[i], watch_once.records[10 + i]) << i;
}

struct Setting {
  OptimiserKind alpha, omega;
  ScheduleKind schedule;
};

class ResumeTest : public ::testing::TestWithParam<Setting> {};

TEST_P(ResumeTest, ARunInterruptedAnywhereEqualsTheUninterruptedOneBitForBit) {
  auto options = training(30, 0.05);
  options.optimiser.alpha.kind = GetParam().alpha;
  options.optimiser.omega.kind = GetParam().omega;
  options.optimiser.omega.schedule.kind = GetParam().schedule;
  options.optimiser.omega.weight_decay = 1e-3;
  options.stop.patience = 1000;
  const ForumOptions forum_options{.inner_steps = 3, .inner_start = InnerStart::initial};

  lab::problems::NoisyRegression whole({.samples = 30, .batch = 7}, 2);
  Forum whole_method(forum_options);
  Watch expected;
  train(whole, whole_method, options, observed_by(expected));

  for (const std::int64_t stop_at : {1, 7, 15, 29}) {
    Watch first, second;
    first.stop_after = stop_at;
    {
      lab::problems::NoisyRegression problem({.samples = 30, .batch = 7}, 2);
      Forum forum(forum_options);
      EXPECT_EQ(train(problem, forum, options, observed_by(first)).status, RunStatus::interrupted);
    }
    const Snapshot stored = to_snapshot(to_file(first.last));  // through the bytes of a file
    lab::problems::NoisyRegression problem({.samples = 30, .batch = 7}, 2);
    Forum forum(forum_options);
    auto control = observed_by(second);
    control.resume = &stored;
    train(problem, forum, options, control);
    std::vector<StepRecord> all = first.records;
    all.insert(all.end(), second.records.begin(), second.records.end());
    EXPECT_EQ(all, expected.records) << "stopped at " << stop_at;
    EXPECT_TRUE(torch::equal(problem.lower().values(), whole.lower().values()));
    EXPECT_TRUE(torch::equal(problem.upper().tables()[0].values, whole.upper().tables()[0].values));
  }
}

INSTANTIATE_TEST_SUITE_P(EveryOptimiserAndSchedule, ResumeTest,
                         ::testing::Values(Setting{OptimiserKind::sgd, OptimiserKind::sgd, ScheduleKind::constant},
                                           Setting{OptimiserKind::momentum, OptimiserKind::adam, ScheduleKind::cosine},
                                           Setting{OptimiserKind::adam, OptimiserKind::momentum, ScheduleKind::step},
                                           Setting{OptimiserKind::adam, OptimiserKind::adam, ScheduleKind::power}));

/// Turns to NaN from its given evaluation of the upper losses on.
class Breaks : public conformance::Synthetic {
 public:
  explicit Breaks(int good) : conformance::Synthetic({.alpha = 2, .omega = {0, 3}}), good_(good) {}
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    auto losses = conformance::Synthetic::upper_losses(batch);
    if (good_-- <= 0) losses[1] = losses[1] * std::numeric_limits<double>::quiet_NaN();
    return losses;
  }

 private:
  int good_;
};

TEST(Training, AValueThatIsNotFiniteIsTakenBackToTheLastGoodState) {
  conformance::Synthetic whole({.alpha = 2, .omega = {0, 3}});
  Forum whole_method(synthetic_forum());
  train(whole, whole_method, training(6));  // z_6 is the last good state

  Breaks problem(8);  // one evaluation for the contract, then iterations 0 .. 6; iteration 7 breaks
  Forum forum(synthetic_forum());
  Watch watch;
  const auto summary = train(problem, forum, training(100), observed_by(watch));
  EXPECT_EQ(summary.status, RunStatus::non_finite);
  EXPECT_NE(summary.message.find("iteration 7: F_2"), std::string::npos) << summary.message;
  EXPECT_EQ(watch.records.size(), 7U);
  ASSERT_EQ(watch.saved_at.back(), 6);
  EXPECT_TRUE(torch::equal(problem.lower().values(), whole.lower().values()));
  EXPECT_TRUE(torch::equal(problem.upper().values(), whole.upper().values()));

  conformance::Synthetic again({.alpha = 2, .omega = {0, 3}});
  Forum again_method(synthetic_forum());
  Watch resumed;
  auto control = observed_by(resumed);
  control.resume = &watch.last;
  train(again, again_method, training(10), control);
  EXPECT_EQ(resumed.records.front(), watch.records.back());  // lambda~ went back as well
}

TEST(Training, DivergenceEndsWithAStatusAndFiniteParameters) {
  conformance::Synthetic problem({.alpha = 2, .omega = {0, 3}});
  Forum forum(synthetic_forum());
  const auto summary = train(problem, forum, training(100000, 50));
  EXPECT_EQ(summary.status, RunStatus::non_finite);
  EXPECT_TRUE(torch::isfinite(problem.lower().values()).all().item().toBool());
}

/// Throws in the middle of a run.
class Throws : public Breaks {
 public:
  Throws() : Breaks(1000) {}
  torch::Tensor lower_loss(const Batch& batch) override {
    if (++calls_ > 200) throw std::runtime_error("the sensor is gone");
    return Breaks::lower_loss(batch);
  }

 private:
  int calls_ = 0;
};

TEST(Training, AnExceptionInALossFailsTheRunAndSavesTheState) {
  Throws problem;
  Forum forum(synthetic_forum());
  Watch watch;
  const auto summary = train(problem, forum, training(100), observed_by(watch));
  EXPECT_EQ(summary.status, RunStatus::failed);
  EXPECT_NE(summary.message.find("the sensor is gone"), std::string::npos);
  EXPECT_EQ(watch.saved_at.back(), static_cast<std::int64_t>(watch.records.size()));
}

TEST(Training, ACheckpointOfAnotherProblemIsRefused) {
  lab::problems::NoisyRegression small({.hidden = 4}, 0), large({.hidden = 8}, 0);
  Forum one({.inner_steps = 1}), other({.inner_steps = 1});
  Watch watch;
  train(small, one, training(3, 0.05), observed_by(watch));
  RunControl control;
  control.resume = &watch.last;
  EXPECT_THROW(train(large, other, training(5, 0.05), control), Error);
}

}  // namespace
}  // namespace moblo::training::training_test
