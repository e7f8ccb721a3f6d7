#include <gtest/gtest.h>

#include <set>

#include "lab/report/experiment_record.hpp"
#include "moblo/records/run_folder.hpp"
#include "tests/system/figure_3.hpp"

namespace moblo::system_test {
namespace {

/// The one object that --json prints; nothing else may stand on standard output.
Json only_object(const Result& result) {
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
  auto object = Json::parse(result.out, nullptr, false);
  EXPECT_TRUE(object.is_object()) << result.out;
  return object;
}

void expect_keys(const Json& object, const std::vector<std::string>& keys) {
  for (const auto& key : keys) EXPECT_TRUE(object.contains(key)) << key << " is missing in " << object.dump();
}

const std::vector<std::string> run_keys{"status", "run", "iterations", "seconds", "final"};
const std::vector<std::string> final_keys{"losses", "q", "kkt", "distance", "alpha", "omega"};

TEST(JsonOutput, OfOneRunIsOneObject) {
  const TemporaryFolder folder;
  const auto run = folder / "run";
  auto arguments = synthetic_run(run, {"iterations=30"});
  arguments.emplace_back("--json");
  const auto result = run_program({arguments, folder.path()});
  expect_done(result);
  EXPECT_EQ(result.err, "");
  const auto object = only_object(result);
  expect_keys(object, run_keys);
  expect_keys(object["final"], final_keys);
  EXPECT_EQ(object["status"], "completed");
  EXPECT_EQ(object["run"], run.string());
  EXPECT_EQ(object["iterations"], 30);
  EXPECT_EQ(object["final"]["losses"].size(), 2U);
  EXPECT_EQ(object["final"]["alpha"].size(), 1U);
  EXPECT_EQ(object["final"]["omega"].size(), 2U);
  EXPECT_EQ(object["final"], read_json(run / "summary.json")["final"]);
}

TEST(Preset, IsLaidOverTheFileAndSettingsOverIt) {
  const TemporaryFolder folder;
  write_file(folder / "e.toml",
             "problem = \"synthetic\"\nmethod = \"forum\"\niterations = 30\npreset = \"short\"\n"
             "[presets.short]\niterations = 7\nforum = { rho = 0.25 }\n[presets.other]\niterations = 9\n");
  const auto iterations = [&](std::vector<std::string> more, const std::string& out) {
    std::vector<std::string> arguments{"run", "e.toml", "--quiet", "--json", "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = run_program({arguments, folder.path()});
    expect_done(result);
    return only_object(result)["iterations"].get<int>();
  };
  EXPECT_EQ(iterations({}, "a"), 7);
  EXPECT_EQ(read_json(folder / "a" / "manifest.json")["config"]["forum"]["rho"], 0.25);
  EXPECT_EQ(iterations({"--set", "preset=other"}, "b"), 9);
  EXPECT_EQ(iterations({"--set", "iterations=3"}, "c"), 3);
}

TEST(JsonOutput, OfSeveralSeedsListsTheRunsOfAnExperiment) {
  const TemporaryFolder folder;
  const auto out = folder / "seeds";
  auto arguments = synthetic_run(out, {"problem=quadratic", "iterations=5"});
  arguments.insert(arguments.end(), {"--json", "--seeds", "0..2"});
  const auto result = run_program({arguments});
  expect_done(result);
  const auto object = only_object(result);
  expect_keys(object, run_keys);
  ASSERT_EQ(object["runs"].size(), 3U);
  EXPECT_EQ(object["iterations"], 15);
  std::set<std::string> alphas;
  for (const auto& run : object["runs"]) {
    expect_keys(run, run_keys);
    expect_keys(run["final"], final_keys);
    EXPECT_TRUE(records::is_run_folder(run["run"].get<std::string>()));
    alphas.insert(run["final"]["alpha"].dump());
  }
  EXPECT_EQ(alphas.size(), 3U) << "another seed is another problem";
  EXPECT_EQ(lab::report::read_experiment(out)->cases.size(), 3U);
  EXPECT_TRUE(fs::exists(out / "report.html"));
}

TEST(JsonOutput, NamesAFolderThatIsNotUtf8) {
  const TemporaryFolder folder;
  auto arguments = synthetic_run("\xff", {"iterations=2"});
  arguments.emplace_back("--json");
  const auto result = run_program({arguments, folder.path()});
  expect_done(result);
  EXPECT_EQ(only_object(result)["status"], "completed");
}

/// FORUM from three starts, then MOML and MoCo from the same.
constexpr std::size_t starts = 3, figure_3_runs = 9;

TEST(Figure3, ReachesTheSolutionSetFromTheThreeStarts) {
  const auto& figure = Figure3::once();
  expect_done(figure.result);
  const auto object = only_object(figure.result);
  EXPECT_EQ(object["status"], "completed");
  ASSERT_EQ(object["runs"].size(), figure_3_runs);
  for (const auto& run : object["runs"]) EXPECT_LE(run["final"]["distance"].get<double>(), 1e-5);
  for (std::size_t i = 0; i < starts; ++i) {
    const auto& run = object["runs"][i];
    const auto& last = run["final"];
    EXPECT_LE(std::abs(last["q"].get<double>()), 1e-8);
    EXPECT_LE(last["kkt"].get<double>(), 1e-8);
    const auto record = records::read_run(run["run"].get<std::string>());
    EXPECT_LE(lab::report::quantity(record, "distance", 100).value(), 1e-4);
    EXPECT_LE(lab::report::quantity(record, "distance", 1000).value(), 1e-5);
    EXPECT_LT(lab::report::quantity(record, "kkt", 100).value(), lab::report::quantity(record, "kkt", 0).value());
    EXPECT_LT(lab::report::quantity(record, "q", 100).value(), lab::report::quantity(record, "q", 0).value());
  }
}

TEST(Figure3, HasTheThreeKnownLimits) {
  const auto object = only_object(Figure3::once().result);
  const std::vector<double> limits{1.110, 1.344, 2.000};
  ASSERT_EQ(object["runs"].size(), figure_3_runs);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto& last = object["runs"][i]["final"];
    for (const auto& value : {last["alpha"][0], last["omega"][0], last["omega"][1]}) {
      EXPECT_NEAR(value.get<double>(), limits[i], 0.005);
    }
  }
}

TEST(Figure3, HasAReportOfItsPanelsAndVerdicts) {
  const auto& folder = Figure3::once().path();
  const auto page = read_file(folder / "report.html");
  for (const auto* part : {"<svg", "(a) E", "(b) E", "(c) K(z)", "(d) q(z)"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  const auto table = run_program({{"report", folder.string()}});
  expect_done(table);
  expect_told(table.out, {"FORUM, alpha 0, omega (0, 3)", "FORUM, alpha 2, omega (3, 3)", "completed"});
}

}  // namespace
}  // namespace moblo::system_test
