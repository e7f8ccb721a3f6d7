#include "lab/problems/fairness.hpp"

#include <gtest/gtest.h>

#include <map>

#include "lab/data/dataset_store.hpp"
#include "lab/problems/fairness_measures.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/gradients/gradient_check.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/training/training.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::problems::fairness_test {
namespace {

constexpr const char* header =
    "age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,race,sex,capital_gain,"
    "capital_loss,hours_per_week,native_country,income,split\n";

class FairnessTest : public ::testing::Test {
 protected:
  /// Incomes follow the years at school; men are paid more for the same, and most men are husbands.
  FairnessTest() {
    std::string adult = header, own = "school,job,group,label\n";
    Rng rng(5);
    for (int i = 0; i < 800; ++i) {
      const bool man = rng.uniform() < 0.6;
      const auto school = static_cast<int>(rng.below(16));
      const bool rich = school + (man ? 4 : 0) + 2 * rng.normal() > 9;
      adult += std::to_string(20 + rng.below(50)) + (i % 7 ? ",Private," : ",?,") + "100,HS-grad," +
               std::to_string(school) + ",Divorced,Sales," + (man && i % 5 ? "Husband," : "Unmarried,") +
               (i % 4 ? "White," : "Black,") + (man ? "Male," : "Female,") + "0,0,40," + "United-States," +
               (rich ? ">50K," : "<=50K,") + (i < 600 ? "train" : "test") + "\n";
      own += std::to_string(school) + (i % 5 ? ",clerk," : ",,") + std::string(man ? "a" : (i % 2 ? "b" : "c")) +
             (rich ? ",yes\n" : ",no\n");
    }
    write("adult.csv", adult);
    write("own.csv", own);
  }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_.path() / "fairness");
    std::ofstream(folder_.path() / "fairness" / name) << text;
  }

  FairnessOptions small() const {
    FairnessOptions options;
    options.data = folder_.path().string();
    options.train = 150, options.validation = 100, options.select = 50;
    options.batch = 50, options.validation_batch = 100;
    options.dtype = Dtype::f64;
    return options;
  }

  FairnessOptions own() const {
    auto options = small();
    options.dataset = FairnessTable::file;
    options.file = (folder_.path() / "fairness" / "own.csv").string();
    options.label = "label", options.protected_column = "group";
    options.train = options.validation = options.select = 0;
    return options;
  }

  std::string refusal(const FairnessOptions& options) const {
    return readers::testing::refusal_when([&] { Fairness(FairnessOptions::table().checked(options, {}), 0); });
  }

  readers::testing::TemporaryFolder folder_;
};

std::map<std::string, double> metrics_of(Fairness& problem) {
  const auto evaluation = problem.evaluate();
  return {evaluation.begin(), evaluation.end()};
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(FairnessTest, HasTheGradientsOfItsLosses) {
  for (const auto weights : {WeightsPer::group_label, WeightsPer::sample}) {
    for (const auto measure : {GapMeasure::parity, GapMeasure::opportunity}) {
      for (const auto& base : {small(), own()}) {
        auto options = base;
        options.weights = weights;
        options.measure = measure;
        options.hidden = 3;
        Fairness problem(options, 0);
        const auto report = check_gradients(problem);
        EXPECT_TRUE(report.passed) << report.largest_error;
      }
    }
  }
  for (const auto baseline : {FairnessBaseline::reweighing, FairnessBaseline::penalty}) {
    auto options = own();
    options.baseline = baseline;
    Fairness problem(options, 0);
    EXPECT_TRUE(check_gradients(problem).passed);
  }
}

TEST_F(FairnessTest, DividesByTheSeedOrByTheColumn) {
  Fairness adult(small(), 0), other(small(), 1);
  EXPECT_EQ(adult.data().test.targets.size(0), 200);
  EXPECT_TRUE(torch::equal(adult.data().test.targets, other.data().test.targets));
  EXPECT_NE(adult.provenance()["samples_sha256"], other.provenance()["samples_sha256"]);
  EXPECT_EQ(adult.data().groups, (std::vector<std::string>{"Female", "Male"}));
  Fairness drawn(own(), 0), again(own(), 0), drawn_otherwise(own(), 1);
  EXPECT_EQ(drawn.data().test.targets.size(0), 240);
  EXPECT_EQ(drawn.data().validation.targets.size(0), 140);
  EXPECT_EQ(drawn.provenance(), again.provenance());
  EXPECT_NE(drawn.provenance()["test_sha256"], drawn_otherwise.provenance()["test_sha256"]);
  EXPECT_EQ(drawn.provenance()["encoding"]["columns"][1]["name"], "job");
}

TEST_F(FairnessTest, TheProtectedColumnIsNoInput) {
  const auto inputs_of = [](const Fairness& problem) {
    std::string names;
    const auto provenance = problem.provenance();
    for (const auto& column : provenance["encoding"]["columns"]) {
      names += column["name"].get<std::string>() + " ";
    }
    return names;
  };
  EXPECT_EQ(inputs_of(Fairness(small(), 0)), "age education_num workclass relationship race ");
  auto options = small();
  options.protected_column = "race";
  Fairness by_race(options, 0);
  EXPECT_EQ(inputs_of(by_race), "age education_num workclass relationship sex ");
  EXPECT_EQ(by_race.data().groups, (std::vector<std::string>{"White", "others"}));
}

/// Mean scores 0.2 and 0.6 of two groups; 0.2, 0.6 and 0.5 of three, about the mean of everybody.
TEST(SquaredGap, IsThatOfTheMeanScores) {
  const auto cells = torch::tensor({0, 1, 2, 3, 3}), more = torch::tensor({0, 1, 2, 3, 3, 5});
  const auto scores = torch::tensor({0.1, 0.3, 0.8, 0.4, 0.6}, torch::kFloat64);
  const auto gap = [](const auto& s, const auto& c, std::int64_t groups, GapMeasure measure) {
    return squared_gap(s, c, groups, measure).item().toDouble();
  };
  EXPECT_NEAR(gap(scores, cells, 2, GapMeasure::parity), 0.16, 1e-12);
  EXPECT_NEAR(gap(scores, cells, 2, GapMeasure::opportunity), 0.04, 1e-12);  // 0.3 and 0.5
  const auto three = torch::cat({scores, torch::tensor({0.5}, torch::kFloat64)});
  const double overall = 2.7 / 6;
  EXPECT_NEAR(gap(three, more, 3, GapMeasure::parity),
              (std::pow(0.2 - overall, 2) + std::pow(0.6 - overall, 2) + std::pow(0.5 - overall, 2)) / 3, 1e-12);
  // a group that is not there does not count
  EXPECT_EQ(gap(scores.slice(0, 0, 2), cells.slice(0, 0, 2), 2, GapMeasure::parity), 0);
  EXPECT_NEAR(gap(scores, cells, 3, GapMeasure::parity), (std::pow(0.24, 2) + std::pow(0.16, 2)) / 2, 1e-12);
}

TEST(DecisionMetrics, CountByGroup) {
  // group a: labels 1 1 0 0, decisions 1 0 1 0; group b: labels 1 0 0 0, decisions 1 0 0 0
  const auto cells = torch::tensor({1, 1, 0, 0, 3, 2, 2, 2});
  const auto odds = torch::tensor({1., -1., 2., -2., 3., -1., -1., -1.});
  const auto list = decision_metrics("test", odds, cells, {"a", "b"}, true);
  const std::map<std::string, double> metrics(list.begin(), list.end());
  EXPECT_NEAR(metrics.at("test accuracy"), 75, 1e-12);
  EXPECT_NEAR(metrics.at("test balanced accuracy"), 100 * (2. / 3 + 4. / 5) / 2, 1e-12);
  EXPECT_NEAR(metrics.at("test parity gap"), 25, 1e-12);
  EXPECT_NEAR(metrics.at("test opportunity gap"), 50, 1e-12);
  EXPECT_NEAR(metrics.at("test positive rate / a"), 50, 1e-12);
  EXPECT_NEAR(metrics.at("test true positive rate / b"), 100, 1e-12);
}

/// Weighted counts: every group has the same share of positive labels, and all weights together are all samples.
TEST(IndependentWeights, MakeLabelAndGroupIndependent) {
  for (const std::int64_t groups : {2, 3, 5}) {
    Rng rng(static_cast<std::uint64_t>(groups));
    std::vector<std::int64_t> cells;
    for (std::int64_t i = 0; i < 200; ++i) {
      const auto group = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(groups)));
      cells.push_back(2 * group + (rng.uniform() < 0.2 + 0.1 * static_cast<double>(group) ? 1 : 0));
    }
    const auto weights = independent_weights(torch::tensor(cells), groups);
    std::vector<double> mass(2 * static_cast<std::size_t>(groups), 0);
    double total = 0, positive = 0;
    for (const auto cell : cells) mass[static_cast<std::size_t>(cell)] += weights[static_cast<std::size_t>(cell)];
    for (std::size_t i = 0; i < mass.size(); ++i) total += mass[i], positive += i % 2 ? mass[i] : 0;
    EXPECT_NEAR(total, 200, 1e-9);
    for (std::size_t i = 1; i < mass.size(); i += 2)
      EXPECT_NEAR(mass[i] / (mass[i] + mass[i - 1]), positive / 200, 1e-9);
  }
}

TEST_F(FairnessTest, WeightsStartAtOneWhateverTheyAreWeightsOf) {
  auto options = small();
  Fairness cells(options, 0);
  options.weights = WeightsPer::sample;
  Fairness samples(options, 0);
  EXPECT_EQ(cells.upper().size(), 4);
  EXPECT_EQ(samples.upper().size(), 150);
  const auto batch = cells.lower_batches().at(0);
  EXPECT_NEAR(cells.lower_loss(batch).item().toDouble(), samples.lower_loss(batch).item().toDouble(), 1e-12);
  EXPECT_EQ(metrics_of(cells).at("weight / Male, positive"), 1);
  EXPECT_EQ(metrics_of(samples).at("weight / Female, negative"), 1);
}

TEST_F(FairnessTest, BaselinesTrainOnValidationSamplesTooAndIgnoreAlpha) {
  for (const auto baseline : {FairnessBaseline::unweighted, FairnessBaseline::reweighing, FairnessBaseline::penalty}) {
    auto options = small();
    options.baseline = baseline;
    options.batch = 1000;
    Fairness problem(options, 0);
    const auto batch = problem.lower_batches().at(0);
    EXPECT_EQ(batch.parts[0].targets.size(0), 250);
    const auto before = problem.lower_loss(batch).item().toDouble();
    const torch::NoGradGuard no_grad;
    problem.upper().values().fill_(3);
    EXPECT_EQ(problem.lower_loss(batch).item().toDouble(), before);
  }
}

/// Metrics of the model that is trained from scratch after `iterations` of FORUM.
std::map<std::string, double> refit_after(std::int64_t iterations, const FairnessOptions& options) {
  Fairness problem(options, 0);
  TrainingOptions run{.iterations = iterations, .refit_steps = 300};
  run.optimiser.alpha = {.kind = OptimiserKind::adam, .step_size = 0.05};
  run.optimiser.omega.step_size = 0.5;
  const auto summary = train(problem, Forum({.inner_steps = 5, .inner_step_size = 0.5}), run);
  const auto& metrics = summary.refit.value().alone.metrics;
  return {metrics.begin(), metrics.end()};
}

/// On one level a penalty closes the gap of the scores, and reweighing narrows it. Weights that are learned do so too
/// for who trains with them alone.
TEST_F(FairnessTest, BaselinesAndLearnedWeightsAreFairerThanPlainTraining) {
  auto options = small();
  options.penalty = 10;
  options.train = 200, options.validation = 400, options.select = 0;
  options.batch = 600, options.validation_batch = 400;
  const auto gap_of = [&](FairnessBaseline baseline) {
    options.baseline = baseline;
    return refit_after(1, options).at("validation squared gap");
  };
  const auto plain = gap_of(FairnessBaseline::unweighted);
  EXPECT_LT(gap_of(FairnessBaseline::penalty), plain / 4);
  EXPECT_LT(gap_of(FairnessBaseline::reweighing), plain);
  options.baseline = FairnessBaseline::none;
  const auto unmoved = refit_after(1, options), learned = refit_after(100, options);
  EXPECT_LT(learned.at("validation squared gap"), 0.7 * unmoved.at("validation squared gap"));
  EXPECT_GT(learned.at("weight / Female, positive"), learned.at("weight / Male, positive"));
  EXPECT_GT(unmoved.at("test accuracy"), 70);
}

TEST(FairnessRealData, TablesHaveTheirSizes) {
  const auto folder = data::locate_dataset(data::find_dataset("fairness"));
  if (!folder || !data::find_file(*folder, "adult.csv") || !data::find_file(*folder, "compas.csv")) {
    GTEST_SKIP() << "Adult or COMPAS is not here; `moblo data where fairness` says where to get them";
  }
  Fairness adult({}, 0);
  EXPECT_EQ(adult.data().test.targets.size(0), 16281);
  EXPECT_EQ(adult.lower().size(), 90);
  FairnessOptions options;
  options.dataset = FairnessTable::compas;
  Fairness compas(options, 0);
  EXPECT_EQ(compas.data().test.targets.size(0), 1851);
  EXPECT_EQ(compas.data().groups, (std::vector<std::string>{"African-American", "Caucasian", "others"}));
  EXPECT_EQ(compas.lower().size(), 10);
}

TEST_F(FairnessTest, RefusesInWords) {
  auto options = own();
  options.label = "lable";
  EXPECT_TRUE(says(refusal(options), "there is no column 'lable'"));
  options = own();
  options.positive = "maybe";
  EXPECT_TRUE(says(refusal(options), "is no label"));
  options = own();
  options.groups = {"z"};
  EXPECT_TRUE(says(refusal(options), "group 'z' does not occur"));
  options = own();
  options.file.clear();
  EXPECT_TRUE(says(refusal(options), "file"));
  options = own();
  options.split = "job";
  EXPECT_TRUE(says(refusal(options), "is neither train nor test"));
  options = own();
  options.test = 8;
  EXPECT_TRUE(says(refusal(options), "10 in all are needed"));
  options = small();
  options.train = 1000;
  EXPECT_TRUE(says(refusal(options), "fewer than"));
  options = small();
  options.label = "income";
  EXPECT_TRUE(says(refusal(options), "dataset is not \"file\""));
  options = small();
  options.dataset = FairnessTable::compas;
  EXPECT_TRUE(says(refusal(options), "holds no compas.csv"));
  write("adult.csv", std::string(header) + "30,?,1,?,9,?,?,?,White,Male,0,0,40,?,much,train\n");
  EXPECT_TRUE(says(refusal(small()), "row 2, column 'income': 'much' is no label"));
}

}  // namespace
}  // namespace moblo::lab::problems::fairness_test
