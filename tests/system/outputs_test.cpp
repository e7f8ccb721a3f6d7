// What a run leaves beside its records: event files for TensorBoard, what it learned of the samples, reports of it.
#include "moblo/records/sample_outcomes.hpp"
#include "tests/lab/readers/made_data.hpp"
#include "tests/system/program.hpp"
#include "tests/system/runs.hpp"

namespace moblo::system_test {
namespace {

std::size_t event_files(const fs::path& run) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(run)) {
    count += entry.path().filename().string().starts_with("events.out.tfevents.") ? 1 : 0;
  }
  return count;
}

TEST(EventFiles, AreWrittenUnlessSwitchedOffAndAnewOnResuming) {
  const TemporaryFolder folder;
  expect_done(run_program({synthetic_run(folder / "on", {"iterations=5"})}));
  EXPECT_EQ(event_files(folder / "on"), 1U);
  expect_done(run_program({synthetic_run(folder / "off", {"iterations=5", "tensorboard=false"})}));
  EXPECT_EQ(event_files(folder / "off"), 0U);
  EXPECT_EQ(read_file(folder / "on/steps.jsonl"), read_file(folder / "off/steps.jsonl"));
  expect_done(run_program({resumption(folder / "on", {"iterations=8"})}));
  EXPECT_EQ(event_files(folder / "on"), 2U);
}

TEST(SampleOutcomesOfARun, AreWrittenAtItsEndAndShownInItsReport) {
  const TemporaryFolder folder;
  lab::readers::testing::make_data_directory(folder / "data");
  std::vector<std::string> arguments{"run", MOBLO_SOURCE_DIR "/experiments/hyper_cleaning.toml", "--quiet", "--out",
                                     (folder / "run").string()};
  for (const std::string set : {"preset=fast", "iterations=3", "evaluate_every=2", "hyper_cleaning.train=120",
                                "hyper_cleaning.upper=50", "hyper_cleaning.select=40", "hyper_cleaning.test=60",
                                "hyper_cleaning.hidden=[16]", "hyper_cleaning.batch=20"}) {
    arguments.insert(arguments.end(), {"--set", set});
  }
  arguments.insert(arguments.end(), {"--set", "hyper_cleaning.data=" + (folder / "data").string()});
  const auto result = run_program({arguments});
  expect_done(result);
  expect_told(result.out, {"test accuracy", "detection AUC", "Report: "});
  const auto outcomes = records::read_sample_outcomes(folder / "run");
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[0].weights.size(), 120U);
  EXPECT_EQ(outcomes[0].wrong.size(), 120U);
  ASSERT_EQ(outcomes[0].pictures.size(), 24U);
  EXPECT_TRUE(outcomes[0].pictures[0].png.starts_with("\x89PNG"));
  const auto page = read_file(folder / "run/report.html");
  for (const auto* part : {"Learned weights of mnist", "(ROC)", "data:image/png;base64,"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
}

TEST(ReportVerb, WritesEachFormatWhereItIsTold) {
  const TemporaryFolder folder;
  expect_done(run_program({synthetic_run(folder / "run", {"iterations=20"})}));
  const auto run = (folder / "run").string(), file = (folder / "file").string();
  for (const auto& [flag, part] : std::vector<std::pair<std::string, std::string>>{{"--html", "<!DOCTYPE html>"},
                                                                                   {"--markdown", "| run |"},
                                                                                   {"--latex", "\\toprule"},
                                                                                   {"--csv", "run,status"}}) {
    expect_done(run_program({{"report", run, flag, "--out", file}}));
    EXPECT_NE(read_file(file).find(part), std::string::npos) << flag;
  }
  const auto summary = run_program({{"report", run}});
  expect_done(summary);
  expect_told(summary.out, {"completed, 20 iterations", "█"});
  EXPECT_EQ(summary.out.find('\x1b'), std::string::npos) << "no colours where it is no terminal";
  EXPECT_EQ(run_program({{"report", run, "--html", "--csv"}}).exit_code, 2);
  expect_told(run_program({{"report", run, "--html", "page.html"}}).err, {"page.html", "--out page.html"});
}

TEST(WatchVerb, RefusesWhatIsNoFolder) {
  const auto result = run_program({{"watch", "/nonexistent"}});
  EXPECT_EQ(result.exit_code, 2);
  expect_told(result.err, {"/nonexistent", "is not a folder"});
}

}  // namespace
}  // namespace moblo::system_test
