#include <gtest/gtest.h>

#include <sstream>

#include "moblo/base/rng.hpp"
#include "tests/system/folders.hpp"
#include "tests/system/refusal.hpp"

namespace moblo::system_test {
namespace {

/// A table as people have it; which class a row has follows from the kind and the size.
std::string pets(int rows, int trusted, bool labels) {
  std::string text = labels ? "id,kind,size,born,label,trusted\n" : "born,size,id,kind\n";
  Rng rng(labels ? 1 : 2);
  for (int j = 0; j < rows; ++j) {
    const std::string kind = rng.below(2) ? "fur" : "feather", id = "p" + std::to_string(j);
    const double size = rng.uniform();
    const std::string born = "20" + std::to_string(10 + j % 10) + "-03-01", cell = j % 9 ? std::to_string(size) : "";
    const bool wrong = labels && j >= trusted && j % 5 == 0;
    const std::string label = ((kind == "fur") != wrong) ? "cat" : "bird";
    if (labels) {
      text += id + "," + kind + "," + cell + "," + born + "," + label + "," + (j < trusted ? "1" : "0") + "\n";
    } else {
      text += born + "," + cell + "," + id + "," + kind + "\n";
    }
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(PredictVerb, AppliesTheModelOfACleanToRowsWithoutLabels) {
  const TemporaryFolder folder;
  write_file(folder / "pets.csv", pets(300, 60, true));
  write_file(folder / "test.csv", pets(100, 100, true));
  write_file(folder / "new.csv", pets(40, 0, false));
  const auto cleaned = run_program(
      {{"clean", "--noisy", "pets.csv", "--test", "test.csv", "--quick", "--out", "out", "--json"}, folder.path()});
  ASSERT_EQ(cleaned.exit_code, 0) << cleaned.err;
  EXPECT_NE(cleaned.err.find("kind"), std::string::npos) << "the columns are listed";

  const auto predicted = run_program({{"predict", "out", "new.csv"}, folder.path()});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  const auto lines = lines_of(predicted.out);
  ASSERT_EQ(lines.size(), 41U);
  EXPECT_EQ(lines[0], "id,predicted_label,p_bird,p_cat");
  const auto rows = lines_of(read_file(folder / "new.csv"));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const bool fur = rows[i].ends_with(",fur");
    EXPECT_TRUE(lines[i].starts_with("p" + std::to_string(i - 1) + (fur ? ",cat," : ",bird,"))) << lines[i];
  }

  // on the test set: as right as `clean` said
  ASSERT_EQ(run_program({{"predict", "out/model.json", "test.csv", "--out", "p.csv"}, folder.path()}).exit_code, 0);
  const auto truth = lines_of(read_file(folder / "test.csv")), found = lines_of(read_file(folder / "p.csv"));
  double right = 0;
  for (std::size_t i = 1; i < truth.size(); ++i) {
    const auto label = truth[i].find(",cat,") != std::string::npos ? ",cat," : ",bird,";
    right += found[i].find(label) != std::string::npos ? 1 : 0;
  }
  const auto object = Json::parse(cleaned.out, nullptr, false);
  ASSERT_TRUE(object.is_object()) << cleaned.out;
  const auto& ways = object["datasets"][0]["ways"];
  EXPECT_DOUBLE_EQ(ways.back()["test_accuracy"].get<double>(), right / 100);
}

TEST(PredictVerb, RefusesInWords) {
  const TemporaryFolder folder;
  write_file(folder / "new.csv", pets(40, 0, false));
  expect_refusal(run_program({{"predict", "absent", "new.csv"}, folder.path()}), 2, {"absent", "does not exist"});
  expect_refusal(run_program({{"predict", ".", "new.csv"}, folder.path()}), 2, {"model.json", "moblo clean"});
  expect_refusal(run_program({{"predict", "."}, folder.path()}), 2, {"file"});
}

}  // namespace
}  // namespace moblo::system_test
