#include "lab/problems/adult.hpp"

#include <gtest/gtest.h>

#include <map>

#include "lab/readers/adult.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/gradients/gradient_check.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::problems {
namespace {

constexpr const char* header =
    "age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,race,sex,capital_gain,"
    "capital_loss,hours_per_week,native_country,income,split\n";

class AdultTest : public ::testing::Test {
 protected:
  /// Incomes follow the years at school; men are paid more for the same.
  AdultTest() {
    std::string text = header;
    Rng rng(5);
    for (int i = 0; i < 400; ++i) {
      const bool man = rng.uniform() < 0.6;
      const auto school = static_cast<int>(rng.below(16));
      const bool rich = school + (man ? 4 : 0) + 2 * rng.normal() > 9;
      text += std::to_string(20 + rng.below(50)) + (i % 7 ? ",Private," : ",?,") + "100,HS-grad," +
              std::to_string(school) + ",Divorced,Sales,Unmarried," + (i % 4 ? "White," : "Black,") +
              (man ? "Male," : "Female,") + "0,0,40," + "United-States," + (rich ? ">50K," : "<=50K,") +
              (i < 300 ? "train" : "test") + "\n";
    }
    write(text);
  }

  void write(const std::string& text) {
    std::filesystem::create_directories(folder_.path() / "fairness");
    std::ofstream(folder_.path() / "fairness" / "adult.csv") << text;
  }

  AdultOptions small() const {
    AdultOptions options;
    options.data = folder_.path().string();
    options.train = 150, options.upper = 100, options.select = 50;
    options.batch = 50, options.upper_batch = 100;
    return options;
  }

  readers::People people(const std::string& column = "sex") const {
    return readers::read_adult(folder_.path() / "fairness", column);
  }

  readers::testing::TemporaryFolder folder_;
};

TEST_F(AdultTest, ReadsNumbersCategoriesGroupsAndParts) {
  const auto read = people();
  EXPECT_EQ(read.count(), 400);
  EXPECT_EQ(std::count(read.test.begin(), read.test.end(), true), 100);
  const auto has = [&](const std::string& name) {
    return std::count(read.features.begin(), read.features.end(), name) == 1;
  };
  EXPECT_TRUE(has("age") && has("workclass = ?") && has("workclass = Private") && has("race = Black"));
  EXPECT_FALSE(has("sex = Male"));  // the protected column is no input
  EXPECT_FALSE(has("fnlwgt"));
  EXPECT_EQ(read.inputs.size(), 400 * read.features.size());
  double sum = 0;
  for (std::size_t row = 0; row < 300; ++row) sum += read.inputs[row * read.features.size()];
  EXPECT_NEAR(sum / 300, 0, 1e-5);  // standardised by the training part
  const auto by_race = people("race").features;
  EXPECT_EQ(std::count(by_race.begin(), by_race.end(), "sex = Male"), 1);
}

TEST_F(AdultTest, RefusesTablesOfAnotherKindByName) {
  write("age,income\n30,>50K\n");
  EXPECT_NE(readers::testing::refusal_when([&] { people(); }).find("has no column \"split\""), std::string::npos);
  write(std::string(header) + "x,?,1,?,9,?,?,?,White,Male,0,0,40,?,>50K,train\n");
  EXPECT_NE(readers::testing::refusal_when([&] { people(); }).find("row 2, age: 'x'"), std::string::npos);
  write(std::string(header) + "30,?,1,?,9,?,?,?,White,Male,0,0,40,?,much,train\n");
  EXPECT_NE(readers::testing::refusal_when([&] { people(); }).find("'much'"), std::string::npos);
}

TEST_F(AdultTest, HasTheGradientsOfItsLosses) {
  for (const auto unit : {WeightedUnit::cells, WeightedUnit::samples}) {
    for (const auto gap : {FairnessGap::parity, FairnessGap::opportunity}) {
      auto options = small();
      options.weights = unit;
      options.gap = gap;
      options.hidden = 3;
      Adult problem(options, 0);
      const auto report = check_gradients(problem);
      EXPECT_TRUE(report.passed) << report.largest_error;
    }
  }
}

/// Scores that know the group alone: their gap is what they were set to.
TEST_F(AdultTest, GapIsThatOfTheMeanScores) {
  Adult problem(small(), 0);
  const torch::NoGradGuard no_grad;
  problem.lower().values().zero_();
  const auto losses = problem.upper_losses(problem.upper_batches().at(0));
  EXPECT_NEAR(losses[0].item().toDouble(), std::log(2), 1e-6);
  EXPECT_EQ(losses[1].item().toDouble(), 0);
  const auto evaluation = problem.evaluate();
  const std::map<std::string, double> metrics(evaluation.begin(), evaluation.end());
  EXPECT_EQ(metrics.at("test parity gap"), 0);
  EXPECT_EQ(metrics.at("weight / larger group, high"), 1);
}

TEST_F(AdultTest, WeightsStartAtOneWhateverTheyAreWeightsOf) {
  auto options = small();
  Adult cells(options, 0);
  options.weights = WeightedUnit::samples;
  Adult samples(options, 0);
  EXPECT_EQ(cells.upper().size(), 4);
  EXPECT_EQ(samples.upper().size(), 150);
  const auto batch = cells.lower_batches().at(0);
  EXPECT_NEAR(cells.lower_loss(batch).item().toDouble(), samples.lower_loss(batch).item().toDouble(), 1e-6);
}

}  // namespace
}  // namespace moblo::lab::problems
