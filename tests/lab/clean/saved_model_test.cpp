#include "lab/clean/saved_model.hpp"

#include <gtest/gtest.h>

#include "lab/clean/clean_files.hpp"
#include "lab/clean/model_file.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/records/tensor_file.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::clean::saved_model_test {
namespace {

/// Columns as a table gives them; any JSON will do for the encoding, which only predict's reader looks at.
data::NoisyDataset made_table(const std::string& name, std::int64_t rows) {
  data::NoisyDataset data;
  data.name = name;
  data.shape = {3};
  data.classes = {"above", "below"};
  data.encoding = {{"columns", Json::array()}};
  Rng rng(1);
  for (std::int64_t j = 0; j < rows; ++j) {
    const double x = rng.normal(), y = 100 * rng.normal(), z = rng.normal();
    data.ids.push_back(std::to_string(j));
    for (const double value : {x, y, z}) data.inputs.push_back(static_cast<float>(value));
    const bool wrong = j >= 60 && j % 4 == 0;
    data.labels.push_back((x + y / 100 > 0) != wrong ? 0 : 1);
    data.trusted.push_back(j < 60);
    data.given.push_back(j < 60 ? -1 : data.labels.back());
  }
  return data;
}

class SavedModelTest : public ::testing::Test {
 protected:
  static std::string refusal(const std::filesystem::path& place, const std::string& dataset = "") {
    try {
      read_model(place, dataset);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
  lab::readers::testing::TemporaryFolder folder_;
};

/// The very probabilities: trees and networks come back from the files bit for bit.
TEST_F(SavedModelTest, GivesTheChancesOfTheModelThatWasSaved) {
  const std::vector<data::NoisyDataset> data{made_table("a", 200), made_table("b", 160)};
  std::vector<CleanTask> tasks;
  for (const auto& one : data) tasks.push_back(make_clean_task(one));
  Monitor monitor;
  auto cleaned = clean(tasks, CleanOptions::quick(), monitor);
  write_model(folder_.path(), tasks, cleaned.models);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto model = read_model(folder_.path(), data[i].name);
    EXPECT_EQ(model.like.classes, data[i].classes);
    const auto all = predicted_chances(model, data[i].inputs);
    const auto noisy = chances_of(cleaned.models[i], tasks[i].noisy.inputs);
    const std::vector<double> last(all.row(60), all.row(60) + noisy.values.size());
    EXPECT_EQ(last, noisy.values);
  }
  EXPECT_NE(refusal(folder_.path()).find("the models of 2 datasets"), std::string::npos);
  EXPECT_NE(refusal(folder_.path(), "c").find("no model of 'c'"), std::string::npos);
}

TEST_F(SavedModelTest, RefusesWhatIsNone) {
  EXPECT_NE(refusal(folder_.path() / "absent").find("does not exist"), std::string::npos);
  EXPECT_NE(refusal(folder_.path()).find("holds no model.json"), std::string::npos);
  records::write_text_atomically(folder_.path() / "manifest.json", "{}");
  EXPECT_NE(refusal(folder_.path()).find("is a training run"), std::string::npos);
  records::write_text_atomically(folder_.path() / "model.json", "{\"format\": 1, \"datasets\": []}");
  EXPECT_NE(refusal(folder_.path()).find("no model that this program can apply"), std::string::npos);
}

}  // namespace
}  // namespace moblo::lab::clean::saved_model_test
