#include <gmock/gmock.h>

#include <atomic>

#include "moblo/conformance/quadratic.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/methods/moco.hpp"
#include "moblo/methods/moml.hpp"
#include "moblo/records/run_folder.hpp"
#include "moblo/training/run.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::training::warm_start_test {
namespace {

using ::testing::HasSubstr;

/// The records of a run, the state at its end, and a stop after some of its steps.
class Watching : public RunObserver {
 public:
  explicit Watching(std::int64_t stop_after = -1) : stop_after_(stop_after) {}
  void stepped(const StepRecord& record, const StepTiming&) override {
    records.push_back(record);
    if (record.k + 1 == stop_after_) stop = true;
  }
  void saved(std::int64_t, const Snapshot& state) override { end.state = state; }

  std::vector<StepRecord> records;
  WarmStart end;
  std::atomic<bool> stop{false};

 private:
  std::int64_t stop_after_;
};

Forum forum(double beta_scale = 0.5) {
  return Forum({.inner_steps = 5, .inner_step_size = 0.5, .beta_exponent = 0, .beta_scale = beta_scale});
}

TrainingOptions iterations(std::int64_t count) {
  return {.iterations = count,
          .checkpoint_every = 5,
          .optimiser = {.alpha = {.kind = OptimiserKind::adam, .step_size = 0.02},
                        .omega = {.kind = OptimiserKind::momentum, .step_size = 0.05}}};
}

struct Ran {
  Summary summary;
  std::vector<StepRecord> records;
  WarmStart end;
};

Ran run(Method&& method, std::int64_t count, const WarmStart* start = nullptr) {
  conformance::Quadratic problem({}, 1);
  Watching watching;
  RunControl control;
  control.observers = {&watching};
  control.warm_start = start;
  auto summary = train(problem, method, iterations(count), control);
  return {std::move(summary), std::move(watching.records), std::move(watching.end)};
}

TEST(WarmStart, BeginsWhereTheOtherRunEnded) {
  const Ran cold = run(forum(), 40);
  const Ran warm = run(forum(), 10, &cold.end);
  ASSERT_EQ(warm.records.size(), 10U) << warm.summary.message;
  EXPECT_EQ(warm.records.front().k, 0);
  EXPECT_EQ(warm.records.front().losses, cold.summary.losses);
  EXPECT_EQ(warm.records.front().q, cold.summary.q);
  // lambda~ is taken over: the first is half the other's last and half the QP's.
  const auto& first = warm.records.front();
  for (std::size_t i = 0; i < first.weights.size(); ++i) {
    const double before = cold.records.back().weights[i];
    EXPECT_NEAR(first.weights[i], (before + first.solved_weights[i]) / 2, 1e-12);
  }
}

TEST(WarmStart, BeginsWithFreshOptimisersAndTheSameBatches) {
  const Ran cold = run(forum(), 40);
  Ran again = run(forum(), 10, &cold.end);
  // A state without moments, streams and method gives the same start where the method has nothing to take over.
  WarmStart bare;
  for (const auto& [name, tensor] : cold.end.state.tensors) {
    if (name.starts_with("alpha/") || name.starts_with("omega/")) bare.state.tensors[name] = tensor;
  }
  const Ran of_moml = run(Moml({.inner_steps = 5, .inner_step_size = 0.5}), 10, &cold.end);
  const Ran of_bare = run(Moml({.inner_steps = 5, .inner_step_size = 0.5}), 10, &bare);
  EXPECT_EQ(of_moml.records, of_bare.records) << "nothing of another method's state is taken";
  EXPECT_EQ(again.records, run(forum(), 10, &cold.end).records);
}

TEST(WarmStart, OfMocoTakesItsWeights) {
  const auto moco = [] {
    return Moco({.inner_steps = 5, .inner_step_size = 0.5, .gamma = 1e-9, .projection = SimplexProjection::simplex});
  };
  WarmStart end = run(moco(), 10).end;
  end.state.values["method"]["weights"] = {0.5, 0.3, 0.2};
  const auto first = run(moco(), 1, &end).records.front();
  EXPECT_NEAR(first.weights[0], 0.5, 1e-6);
  EXPECT_NEAR(first.weights[2], 0.2, 1e-6);
}

TEST(WarmStart, RefitsAsLongAsTheRunThatItBeganAt) {
  const Ran cold = run(forum(), 40);
  const Ran warm = run(forum(), 10, &cold.end);
  const Ran warmer = run(forum(), 5, &warm.end);
  ASSERT_TRUE(cold.summary.refit && warm.summary.refit && warmer.summary.refit);
  EXPECT_EQ(warm.summary.refit->steps, cold.summary.refit->steps);
  EXPECT_EQ(warmer.summary.refit->steps, cold.summary.refit->steps);
}

TEST(WarmStart, OfAnotherShapeIsRefused) {
  const Ran cold = run(forum(), 5);
  conformance::Quadratic other({.n = 4}, 1);
  RunControl control;
  control.warm_start = &cold.end;
  EXPECT_THROW(train(other, forum(), iterations(5), control), Error);
}

class WarmStartInFolder : public ::testing::Test {
 protected:
  Ran run_in(const char* name, std::int64_t count, const WarmStart* start = nullptr, std::int64_t stop_after = -1) {
    conformance::Quadratic problem({}, 1);
    Watching watching(stop_after);
    RunControl control;
    control.observers = {&watching};
    control.stop_requested = &watching.stop;
    control.warm_start = start;
    auto summary = train_in_folder(folder_ / name, problem, forum(), iterations(count), control);
    return {std::move(summary), std::move(watching.records), {}};
  }

  fixtures::TemporaryFolder folder_;
};

TEST_F(WarmStartInFolder, ResumedEqualsUninterruptedBitForBit) {
  run_in("cold", 20);
  const WarmStart start = end_of_run(folder_ / "cold", "cold");
  const Ran whole = run_in("whole", 20, &start);
  EXPECT_EQ(run_in("parts", 20, &start, 7).summary.status, RunStatus::interrupted);
  const Ran rest = run_in("parts", 20, &start);
  EXPECT_EQ(rest.records.front().k, 7);
  EXPECT_EQ(records::read_run(folder_ / "parts").steps, records::read_run(folder_ / "whole").steps);
  EXPECT_EQ(rest.summary.alpha, whole.summary.alpha);
  EXPECT_EQ(rest.summary.refit->alone.losses, whole.summary.refit->alone.losses);
  const auto manifest = records::read_manifest(folder_ / "whole");
  EXPECT_EQ(manifest.warm_start["run"], "cold");
  EXPECT_EQ(manifest.warm_start["iterations"], 20);
  EXPECT_EQ(manifest.warm_start["state"].get<std::string>().size(), 8U);
  EXPECT_TRUE(records::read_manifest(folder_ / "cold").warm_start.is_null());
}

TEST_F(WarmStartInFolder, ARunWithAnotherStartIsNotResumed) {
  run_in("cold", 20);
  run_in("longer", 25);
  const WarmStart start = end_of_run(folder_ / "cold"), other = end_of_run(folder_ / "longer");
  run_in("warm", 10, &start);
  EXPECT_THAT(fixtures::error_text(ErrorKind::checkpoint, [&] { run_in("warm", 20, &other); }),
              HasSubstr("another start"));
  EXPECT_THAT(fixtures::error_text(ErrorKind::checkpoint, [&] { run_in("warm", 20); }), HasSubstr("another start"));
}

TEST_F(WarmStartInFolder, ARunThatHasNotEndedWellIsNoStart) {
  const auto refusal = [&](const char* name) {
    return fixtures::error_text(ErrorKind::checkpoint, [&] { end_of_run(folder_ / name); });
  };
  EXPECT_THAT(refusal("nothing"), HasSubstr("is not a run folder"));
  run_in("stopped", 20, nullptr, 7);
  EXPECT_THAT(refusal("stopped"), HasSubstr("interrupted"));
  std::filesystem::remove(folder_ / "stopped" / "summary.json");
  EXPECT_THAT(refusal("stopped"), HasSubstr("has not ended"));
}

}  // namespace
}  // namespace moblo::training::warm_start_test
