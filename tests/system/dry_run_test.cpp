#include <gtest/gtest.h>

#include <algorithm>

#include "moblo/base/json.hpp"
#include "tests/system/runs.hpp"

namespace moblo::system_test {
namespace {

/// A dry run leaves the folder in which it is started as it was.
class DryRun : public ::testing::Test {
 protected:
  Result dry_run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.emplace_back("--dry-run");
    const auto before = contents(folder_.path());
    const auto result = run_program({arguments, folder_.path()});
    EXPECT_TRUE(contents(folder_.path()) == before) << "something was left behind or changed";
    return result;
  }

  Json told(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const auto result = dry_run(arguments);
    expect_done(result);
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
    return Json::parse(result.out);
  }

  TemporaryFolder folder_;
};

TEST_F(DryRun, TellsThePlanAndWhatItWouldCost) {
  const auto object = told({synthetic_file, "--set", "forum.rho=0.25", "--set", "iterations=40", "--seed", "7"});
  EXPECT_EQ(object["dry_run"], true);
  ASSERT_EQ(object["runs"].size(), 1U);
  const auto& run = object["runs"][0];
  EXPECT_EQ(run["problem"], "synthetic");
  EXPECT_EQ(run["method"], "forum");
  EXPECT_EQ(run["seed"], 7);
  EXPECT_EQ(run["m"], 2);
  EXPECT_EQ(run["n"], 1);
  EXPECT_EQ(run["p"], 2);
  EXPECT_EQ(run["iterations"], 40);
  EXPECT_EQ(run["resumed"], false);
  EXPECT_EQ(run["run"], "runs/synthetic-forum");
  EXPECT_EQ(run["options"]["forum.rho"], 0.25);
  EXPECT_FALSE(run["options"].contains("forum.beta_scale")) << "it has its default";
  EXPECT_GT(run["predicted_bytes"], 1 << 20);
  EXPECT_GT(run["measured"]["steps"], 0);
  EXPECT_LE(run["measured"]["steps"], 20);
  EXPECT_GE(run["predicted_seconds"].get<double>(), 40 * run["measured"]["step_seconds"].get<double>());
  EXPECT_EQ(object["predicted_seconds"], run["predicted_seconds"]);
}

TEST_F(DryRun, TellsItInWords) {
  const auto result = dry_run({synthetic_file, "--out", "here"});
  expect_done(result);
  for (const auto* word : {"here (new)", "synthetic: m = 2 objectives, n = 1 upper and p = 2 lower variables", "MiB",
                           "about", "throw-away run", "Nothing was run for good or written", "forum.inner_steps"}) {
    EXPECT_NE(result.out.find(word), std::string::npos) << word << " is missing in\n" << result.out;
  }
}

TEST_F(DryRun, SeedsOfACaseAreMeasuredOnce) {
  const auto object = told({synthetic_file, "--seeds", "0..2", "--out", "three"});
  ASSERT_EQ(object["runs"].size(), 3U);
  EXPECT_EQ(object["runs"][2]["seed"], 2);
  EXPECT_EQ(object["runs"][1]["measured"], object["runs"][0]["measured"]);
  EXPECT_TRUE(object["runs"][1]["run"].get<std::string>().starts_with("three/"));
  EXPECT_GT(object["predicted_seconds"], object["runs"][0]["predicted_seconds"]);
}

TEST_F(DryRun, OfARunToGoOnWithCountsWhatIsLeft) {
  const auto run = folder_ / "run";
  expect_done(run_program({synthetic_run(run, {"iterations=30"})}));
  const auto object = told({"--resume", run.string(), "--set", "iterations=50"});
  EXPECT_EQ(object["runs"][0]["resumed"], true);
  EXPECT_EQ(object["runs"][0]["first_iteration"], 30);
  EXPECT_EQ(object["runs"][0]["iterations"], 50);
  EXPECT_EQ(object["runs"][0]["measured"]["steps"], 20);
}

TEST_F(DryRun, RefusesWhatTheRunWouldRefuseInTheSameWords) {
  const auto run = folder_ / "run";
  expect_done(run_program({synthetic_run(run, {"iterations=3"})}));
  write_file(folder_ / "file", "");
  const std::vector<std::vector<std::string>> wrong{{"missing.toml"},
                                                    {synthetic_file, "--set", "forum.rho=-1"},
                                                    {synthetic_file, "--set", "method=frum"},
                                                    {synthetic_file, "--out", run.string()},
                                                    {synthetic_file, "--out", (folder_ / "file").string()},
                                                    {synthetic_file, "--out", (folder_ / "file" / "below").string()},
                                                    {"--resume", "nowhere"},
                                                    {"--resume", run.string(), "--set", "iterations=1"},
                                                    {}};
  for (const auto& arguments : wrong) {
    std::vector<std::string> real{"run", "--quiet"};
    real.insert(real.end(), arguments.begin(), arguments.end());
    const auto refused = run_program({real, folder_.path()});
    const auto rehearsed = dry_run(arguments);
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_EQ(rehearsed.exit_code, refused.exit_code);
    EXPECT_EQ(rehearsed.err, refused.err);
    EXPECT_EQ(rehearsed.out, "");
  }
}

}  // namespace
}  // namespace moblo::system_test
