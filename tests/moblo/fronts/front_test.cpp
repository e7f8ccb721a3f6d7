#include "moblo/fronts/front.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "moblo/conformance/synthetic.hpp"
#include "moblo/fronts/judge.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/records/run_folder.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::fronts::front_test {
namespace {

using conformance::Synthetic;
using ::testing::HasSubstr;

constexpr std::int64_t cold_iterations = 300;

/// Its front is F = ((c - 1)^2, (2 - c)^2), c in [1, 2].
std::shared_ptr<BilevelProblem> synthetic() {
  return std::make_shared<Synthetic>(conformance::SyntheticOptions{.alpha = 0, .omega = {0, 3}});
}

std::unique_ptr<Method> forum(const PointTarget& target) {
  Json options{{"inner_steps", 10}, {"inner_step_size", 0.3}, {"preference", target.preference}};
  if (!target.limits.empty()) options["limits"] = target.limits_json();
  return make_method("forum", options);
}

TrainingOptions training() {
  return {.iterations = cold_iterations,
          .checkpoint_every = 50,
          .refit_steps = 20,
          .optimiser = {.alpha = {.step_size = 0.2}, .omega = {.step_size = 0.2}}};
}

/// Asks for a stop after so many steps of all points together.
class StopAfter : public RunObserver {
 public:
  explicit StopAfter(std::int64_t steps) : left_(steps) {}
  void stepped(const StepRecord&, const StepTiming&) override { stop = stop || --left_ <= 0; }
  std::atomic<bool> stop{false};

 private:
  std::int64_t left_;
};

TEST(Front, LiesWhereItsRaysMeetTheClosedForm) {
  const Front found = front(synthetic, forum, {.points = 6, .roots = 6}, training());
  ASSERT_EQ(found.record.points.size(), 6U);
  EXPECT_EQ(found.record.stopped_because, "all points done");
  EXPECT_EQ(found.record.method, "forum");
  for (const auto& point : found.record.points) {
    const auto at = static_cast<std::size_t>(point.index);
    EXPECT_EQ(point.status, "completed");
    EXPECT_EQ(found.summaries[at].iterations, cold_iterations);
    if (std::min(point.preference[0], point.preference[1]) < 0.1) continue;  // the steps along the axes are short
    // r_1 (c - 1)^2 = r_2 (2 - c)^2
    const double share = 1 / (1 + std::sqrt(point.preference[0] / point.preference[1]));
    EXPECT_NEAR(point.losses[0], share * share, 0.01) << point.index;
    EXPECT_NEAR(point.losses[1], (1 - share) * (1 - share), 0.01) << point.index;
    EXPECT_FALSE(point.dominated);
    EXPECT_LT(*found.problems[at]->distance_to_solution_set(), 0.02);
  }
  EXPECT_EQ(found.record.points[0].run, "");
}

class FrontInFolder : public ::testing::Test {
 protected:
  Front run(const char* name, StopAfter* stop = nullptr) {
    FrontControl control;
    control.folder = folder_ / name;
    if (stop) {
      control.run.observers = {stop};
      control.run.stop_requested = &stop->stop;
    }
    TrainingOptions options = training();
    options.iterations = 60;  // not converged: bits are compared
    options.checkpoint_every = 7;
    return front(synthetic, forum, {.points = 6, .refine = true, .rounds = 2, .tolerance = 0, .warm_iterations = 0.5},
                 options, control);
  }

  fixtures::TemporaryFolder folder_;
};

TEST_F(FrontInFolder, InterruptedAndResumedEqualsUninterruptedBitForBit) {
  const Front whole = run("whole");
  EXPECT_GT(whole.record.points.size(), 3U);
  EXPECT_GT(whole.record.rounds, 1);
  for (const std::int64_t after : {20, 130, 40}) {
    StopAfter stop(after);
    EXPECT_EQ(run("parts", &stop).record.stopped_because, "interrupted");
  }
  const Front rest = run("parts");
  EXPECT_EQ(records::to_json(rest.record).dump(), records::to_json(whole.record).dump());
  for (const auto& point : whole.record.points) {
    EXPECT_EQ(records::read_run(folder_ / "parts" / point.run).steps,
              records::read_run(folder_ / "whole" / point.run).steps);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "parts" / point.model));
  }
  const auto written = records::read_front(folder_ / "parts");
  ASSERT_TRUE(written);
  EXPECT_EQ(records::to_json(*written).dump(), records::to_json(whole.record).dump());
}

TEST(Front, KeepsAnObjectiveNearItsBestInALexicographicOrder) {
  const Front found = front(synthetic, forum, {.order = {"F2", "F1"}, .slack = {0.05}}, training());
  ASSERT_EQ(found.record.points.size(), 2U);
  const auto &first = found.record.points[0], &second = found.record.points[1];
  EXPECT_NEAR(second.limits.front().second, first.losses[1] + 0.05, 1e-12);
  EXPECT_LT(second.losses[1], second.limits.front().second + 5e-3);
  EXPECT_LT(second.losses[0], first.losses[0]);
}

/// A loss that gives up after some evaluations.
class GivesUp : public Synthetic {
 public:
  GivesUp() : Synthetic({.alpha = 0, .omega = {0, 3}}) {}
  torch::Tensor lower_loss(const Batch& batch) override {
    if (++count_ > 500) throw std::runtime_error("out of luck");
    return Synthetic::lower_loss(batch);
  }

 private:
  int count_ = 0;
};

TEST(Front, EndsWithThePointThatFails) {
  int made = 0;
  const auto third_fails = [&]() -> std::shared_ptr<BilevelProblem> {
    if (++made == 3) return std::make_shared<GivesUp>();  // of the second point: the first was asked for its objectives
    return synthetic();
  };
  int told = 0;
  FrontControl control;
  control.point_ended = [&](const FrontRecord& so_far, const Summary&) {
    ++told;
    EXPECT_EQ(so_far.stopped_because, "running");
  };
  const Front found = front(third_fails, forum, {.points = 5}, training(), control);
  EXPECT_THAT(found.record.stopped_because, HasSubstr("point 1 failed"));
  EXPECT_THAT(found.record.stopped_because, HasSubstr("out of luck"));
  EXPECT_EQ(found.summaries.size(), 2U);
  EXPECT_EQ(told, 2);
}

TEST(Front, RefusesFactoriesThatMakeNothing) {
  const auto nothing = []() -> std::shared_ptr<BilevelProblem> { return nullptr; };
  EXPECT_THROW(front(nothing, forum), Error);
  EXPECT_THROW(front(synthetic, [](const PointTarget&) { return std::unique_ptr<Method>(); }), Error);
  EXPECT_THROW(front(synthetic, {}), Error);
  EXPECT_THROW(front(synthetic, forum, {.points = -1}), Error);
  EXPECT_THROW(front(synthetic, forum, {}, {.iterations = 0}), Error);
}

}  // namespace
}  // namespace moblo::fronts::front_test
