#include <gtest/gtest.h>

#include <functional>

#include "tests/system/figure_3.hpp"

namespace moblo::system_test {
namespace {

struct Scenario {
  std::string name;
  std::string problem, optimiser, schedule;
  int iterations;  ///< of a second or so in all, so that a kill in the middle lands there
};

std::ostream& operator<<(std::ostream& out, const Scenario& scenario) {
  return out << scenario.name;
}

std::vector<std::string> sets_of(const Scenario& scenario) {
  return {"problem=" + scenario.problem,
          "iterations=" + std::to_string(scenario.iterations),
          "checkpoint_every=20",
          "evaluate_every=50",
          "forum.inner_steps=5",
          "optimiser.alpha.kind=" + scenario.optimiser,
          "optimiser.omega.kind=" + scenario.optimiser,
          "optimiser.alpha.step_size=0.05",
          "optimiser.omega.step_size=0.02",
          "optimiser.alpha.schedule.kind=" + scenario.schedule,
          "optimiser.omega.schedule.kind=" + scenario.schedule,
          "optimiser.omega.schedule.warmup=30"};
}

bool has_checkpoint_from(const fs::path& run, std::int64_t k) {
  const auto found = checkpoints(run);
  return !found.empty() && found.back() >= k;
}

/// A write of a checkpoint under way, the worst moment of all.
bool has_temporary(const fs::path& run) {
  std::error_code ignored;
  for (fs::directory_iterator entry(run / "checkpoint", ignored), end; entry != end; entry.increment(ignored)) {
    if (entry->path().extension() == ".tmp") return true;
  }
  return false;
}

bool has_record_bytes(const fs::path& run, std::uintmax_t bytes) {
  std::error_code failure;
  const auto size = fs::file_size(run / "steps.jsonl", failure);
  return !failure && size >= bytes;
}

/// Starts the program and sends `signal` at the moment; it must still be at work then.
Result stopped_at(const std::function<bool()>& moment, int signal, const std::vector<std::string>& arguments) {
  Child child({arguments});
  EXPECT_TRUE(wait_until([&] { return moment() || child.ended(); }));
  EXPECT_FALSE(child.ended()) << "it ended before the moment to stop it came";
  child.send(signal);
  return child.wait();
}

void kill_at(const std::function<bool()>& moment, const fs::path& run, const std::vector<std::string>& arguments) {
  const auto result = stopped_at(moment, SIGKILL, arguments);
  EXPECT_EQ(result.signal, SIGKILL) << result.err;
  EXPECT_FALSE(fs::exists(run / "summary.json")) << "the kill came too late";
}

class KilledRun : public ::testing::TestWithParam<Scenario> {};

TEST_P(KilledRun, ResumedEqualsTheUninterruptedOne) {
  const TemporaryFolder folder;
  const auto reference = folder / "reference", run = folder / "run";
  const auto sets = sets_of(GetParam());
  expect_done(run_program({synthetic_run(reference, sets)}));

  const auto quarter = GetParam().iterations / 4;
  kill_at([&] { return has_record_bytes(run, 20000) && has_checkpoint_from(run, 20); }, run, synthetic_run(run, sets));
  kill_at([&] { return has_checkpoint_from(run, quarter) && has_temporary(run); }, run, resumption(run));
  kill_at([&] { return has_checkpoint_from(run, 2 * quarter + 100); }, run, resumption(run));
  expect_done(run_program({resumption(run)}));
  expect_same_run(run, reference);
  EXPECT_FALSE(has_temporary(run)) << "what a killed write left behind is cleared away";
}

INSTANTIATE_TEST_SUITE_P(
    Forum, KilledRun,
    ::testing::Values(Scenario{"SyntheticWithSgd", "synthetic", "sgd", "step", 1200},
                      Scenario{"SyntheticWithMomentum", "synthetic", "momentum", "power", 1200},
                      Scenario{"SyntheticWithAdam", "synthetic", "adam", "cosine", 1200},
                      Scenario{"NoisyRegressionWithSgd", "noisy_regression", "sgd", "cosine", 600},
                      Scenario{"NoisyRegressionWithMomentum", "noisy_regression", "momentum", "step", 600},
                      Scenario{"NoisyRegressionWithAdam", "noisy_regression", "adam", "power", 600}),
    [](const auto& scenario) { return scenario.param.name; });

const Scenario long_enough{"", "noisy_regression", "adam", "step", 600};

TEST(KilledEarly, BeforeTheFirstCheckpointItStartsFromTheBeginning) {
  const TemporaryFolder folder;
  const auto reference = folder / "reference", run = folder / "run";
  auto sets = sets_of(long_enough);
  sets.emplace_back("checkpoint_every=0");
  expect_done(run_program({synthetic_run(reference, sets)}));
  kill_at([&] { return has_record_bytes(run, 1); }, run, synthetic_run(run, sets));
  EXPECT_TRUE(checkpoints(run).empty());
  const auto result = run_program({resumption(run)});
  expect_done(result);
  expect_told(result.err, {"moblo: warning: ", run.string(), "holds no checkpoint yet", "from iteration 0"});
  expect_same_run(run, reference);
}

/// What stands behind "To go on: ", as a shell would take it.
Result obey(const Result& interrupted, const fs::path& folder) {
  const std::string sign = "To go on: moblo ";
  const auto at = interrupted.err.find(sign);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no command to go on with in: " << interrupted.err;
    return {};
  }
  const auto command = interrupted.err.substr(at + sign.size(), interrupted.err.find('\n', at) - at - sign.size());
  Invocation shell{{"-c", "\"" MOBLO_PROGRAM "\" " + command}, folder};
  shell.program = "sh";
  return run_program(shell);
}

class InterruptedRun : public ::testing::TestWithParam<int> {};

TEST_P(InterruptedRun, GoesOnWithTheCommandItNames) {
  const TemporaryFolder folder;
  const auto reference = folder / "reference", run = folder / "run of mine";
  const auto sets = sets_of(long_enough);
  expect_done(run_program({synthetic_run(reference, sets)}));
  const auto result = stopped_at([&] { return has_checkpoint_from(run, 100); }, GetParam(), synthetic_run(run, sets));
  EXPECT_EQ(result.exit_code, 130) << result.err;
  expect_told(result.err, {"interrupted; the state is saved", "moblo run --resume", run.string()});
  EXPECT_EQ(read_json(run / "summary.json").value("status", ""), "interrupted");
  expect_done(obey(result, folder.path()));
  expect_same_run(run, reference);
}

INSTANTIATE_TEST_SUITE_P(By, InterruptedRun, ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& signal) { return signal.param == SIGINT ? "CtrlC" : "Termination"; });

TEST(InterruptedReproduction, GoesOnCellByCellAndSkipsWhatIsDone) {
  const auto& reference = Figure3::once();
  const TemporaryFolder folder;
  const auto figure = folder / "figure 3";
  const auto &done = figure / figure_3_folders()[0], &broken_off = figure / figure_3_folders()[1];
  const auto result = stopped_at(
      [&] { return has_checkpoint_from(broken_off, 200); }, SIGINT,
      {"reproduce", "figure-3", "--set", "method=forum", "--json", "--quiet", "--jobs", "1", "--out", figure.string()});
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_EQ(Json::parse(result.out, nullptr, false).value("status", ""), "interrupted");
  expect_told(result.err, {"moblo reproduce figure-3", figure.string()});
  const auto done_before = contents(done);

  const auto again = obey(result, folder.path());
  expect_done(again);
  EXPECT_EQ(lines_that_start(again.err, "FORUM").size(), 1U + 1U + 1U) << again.err;
  expect_told(again.err, {"FORUM, alpha 0, omega (0, 3): done before, 1000 iterations"});
  EXPECT_TRUE(contents(done) == done_before) << "a cell that was done is left alone";
  for (const auto& cell : figure_3_folders()) expect_same_run(figure / cell, reference.path() / cell);
}

TEST(InterruptedReproduction, RefusesToGoOnWithOtherOptions) {
  const auto& reference = Figure3::once();
  const TemporaryFolder folder;
  const auto figure = folder / "figure";
  fs::copy(reference.path(), figure, fs::copy_options::recursive);
  const auto before = contents(figure);
  const auto result = run_program(
      {{"reproduce", "figure-3", "--quiet", "--set", "forum.rho=0.1", "--out", figure.string()}, folder.path()});
  expect_refusal(result, 2, {"holds a run with other options", "--fresh"});
  EXPECT_TRUE(contents(figure) == before);
}

}  // namespace
}  // namespace moblo::system_test
