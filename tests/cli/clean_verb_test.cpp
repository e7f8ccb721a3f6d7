#include <gtest/gtest.h>

#include "moblo/records/tensor_file.hpp"
#include "tests/cli/clean_table.hpp"
#include "tests/system/folders.hpp"
#include "tests/system/refusal.hpp"

namespace moblo::system_test {
namespace {

Result moblo_clean(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "clean");
  return run_program({arguments, folder.path()});
}

TEST(CleanVerb, WritesItsFilesAndTellsTheSameTwice) {
  const TemporaryFolder folder;
  write_file(folder / "t.csv", made_table(260, 60, true));
  write_file(folder / "test.csv", made_table(100, 0, false));
  std::vector<std::map<std::string, std::string>> written;
  for (const auto* threads : {"1", "2"}) {
    const auto out = std::string("out") + threads;
    const auto result = moblo_clean(folder, {"--noisy", "t.csv", "--test", "test.csv", "--quick", "--quiet", "--json",
                                             "--threads", threads, "--out", out});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const auto object = Json::parse(result.out, nullptr, false);
    ASSERT_TRUE(object.is_object()) << result.out;
    EXPECT_EQ(object["status"], "completed");
    const auto& dataset = object["datasets"][0];
    ASSERT_EQ(dataset["ways"].size(), 6);
    EXPECT_TRUE(dataset["ways"][5]["detection_auc"].is_null());
    EXPECT_GT(dataset["ways"][5]["test_accuracy"].get<double>(), 0.9);
    EXPECT_NEAR(dataset["noise"]["wrong_share"]["estimate"].get<double>(), 0.33, 0.1);
    written.push_back(contents(folder / out));
  }
  EXPECT_EQ(written[0], written[1]);
  for (const auto* name :
       {"samples.csv", "flagged.csv", "model.safetensors", "model.json", "clean.json", "report.html"}) {
    EXPECT_TRUE(written[0].contains(name)) << name;
  }
  const auto& samples = written[0]["samples.csv"];
  EXPECT_EQ(std::count(samples.begin(), samples.end(), '\n'), 201);
  EXPECT_EQ(records::read_tensor_file(folder / "out1/model.safetensors", true).tensors.size() % 2, 0);
}

/// Few rows, none of them trusted, then the loop with a person: list, look, hand the verdicts back.
TEST(CleanVerb, AsksAPersonAndTakesTheVerdicts) {
  const TemporaryFolder folder;
  write_file(folder / "t.csv", made_table(64, 0, true));
  const auto first = moblo_clean(folder, {"--noisy", "t.csv", "--quick", "--quiet", "--review", "40", "--out", "a"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("assumption"), std::string::npos) << first.out;
  std::string verdicts = "dataset,id,checked_label,reason\n";
  std::istringstream lines(contents(folder / "a")["review.csv"]);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "dataset,id,given_label,predicted_label,wrong_probability,reason,checked_label");
  for (int j = 0; std::getline(lines, line); ++j) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    verdicts += cells[0] + "," + cells[1] + "," + (j % 3 == 0 ? "above" : cells[2]) + "," + cells[5] + "\n";
  }
  write_file(folder / "checked.csv", verdicts);
  const auto second =
      moblo_clean(folder, {"--noisy", "t.csv", "--quick", "--quiet", "--checked", "checked.csv", "--out", "b"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(second.out.find("Learned from 40 samples"), std::string::npos) << second.out;
}

TEST(CleanVerb, RefusesWhatMakesNoSense) {
  const TemporaryFolder folder;
  write_file(folder / "t.csv", made_table(60, 20, true));
  expect_refusal(moblo_clean(folder, {}), 2, {"--noisy"});
  expect_refusal(moblo_clean(folder, {"--noisy", "t.csv", "--inject", "1.5"}), 2, {"1.5"});
  expect_refusal(moblo_clean(folder, {"--noisy", "t.csv", "--precision", "0"}), 2, {"'0' is not a share"});
  expect_refusal(moblo_clean(folder, {"--paper", "--inject", "0.3"}), 2, {"--inject with --paper"});
  expect_refusal(moblo_clean(folder, {"--paper", "--noisy", "t.csv"}), 2, {"--noisy with --paper"});
  expect_refusal(moblo_clean(folder, {"--noisy", "absent.csv"}), 2, {"absent.csv"});
  write_file(folder / "\xfe.csv", made_table(60, 20, true));
  expect_refusal(moblo_clean(folder, {"--noisy", "\xfe.csv"}), 2, {"not UTF-8", "--noisy NAME=FILE"});
  write_file(folder / "file", "");
  expect_refusal(moblo_clean(folder, {"--noisy", "t.csv", "--out", "file/below"}), 1, {"file/below", "--out"});
  EXPECT_FALSE(fs::exists(folder / "runs")) << "nothing was begun";
}

}  // namespace
}  // namespace moblo::system_test
