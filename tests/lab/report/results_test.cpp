#include "lab/report/results.hpp"

#include <gmock/gmock.h>
#include <limits>

#include <fstream>

#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::lab::report {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;

constexpr const char* accuracy = "selected[\"test accuracy / mnist\"]";

void write_cell(const std::filesystem::path& folder, double value, RunStatus status = RunStatus::completed,
                double step_seconds = 0.5) {
  auto manifest = fixtures::sample_manifest();
  manifest.runtime["bytes_before_first_step"] = 100 << 20;
  auto run = records::RunFolder::create(folder, manifest);
  for (std::int64_t k = 0; k < 4; ++k) {
    run.append(fixtures::sample_step(k));
    const double seconds = k == 0 ? 9 : step_seconds * static_cast<double>(k);
    run.append(StepTiming{k, {{"lower loop", seconds / 2}, {"gradients", seconds / 2}}, (120 + k) << 20});
  }
  auto summary = fixtures::sample_summary(4);
  summary.status = status;
  summary.final_state["selected"] = {{"k", 3}, {"metrics", {{"test accuracy / mnist", value}}}};
  run.save_summary(summary);
}

/// Two methods with three seeds each, of which the second has only two, and a third that was not run.
class Grid : public testing::Test {
 protected:
  Grid() {
    record.name = "table-0";
    record.title = "Table 0";
    for (const std::string method : {"A", "B", "C"}) {
      for (const auto* seed : {"0", "1", "2"}) {
        record.cases.push_back({method + " seed " + seed, method + "-" + seed, method, method, {{"T", 16}}});
      }
    }
    record.tables = {{"Accuracy",
                      "B",
                      {{"MNIST", accuracy}, {"MNIST, relative", accuracy, 1, true}},
                      {{"A", "B", {{91.5, 0.25}}}, {"B", "", {}}, {"C", "", {}}}}};
    for (int seed = 0; seed < 3; ++seed) {
      write_cell(folder.path() / ("A-" + std::to_string(seed)), 90 + seed);
      if (seed < 2) write_cell(folder.path() / ("B-" + std::to_string(seed)), 80);
    }
  }

  Report report() {
    write_experiment(folder.path(), record);
    return load_report({folder.path()});
  }

  fixtures::TemporaryFolder folder;
  ExperimentRecord record;
};

TEST_F(Grid, DeltaPComparesEachSeedWithTheMeanOfTheSingleTaskCase) {
  auto& columns = record.tables[0].columns;
  columns[0].task = "mnist";
  const auto in_favour = statistic(report().experiment.value(), report().runs, "A", "delta_p");
  ASSERT_EQ(in_favour.values.size(), 3U);
  EXPECT_NEAR(in_favour.values[0], 100.0 * (90 - 80) / 80, 1e-12);
  EXPECT_NEAR(*in_favour.mean(), 100.0 * (91 - 80) / 80, 1e-12);

  columns[0].lower_is_better = true;
  EXPECT_NEAR(*statistic(report().experiment.value(), report().runs, "A", "delta_p").mean(), -100.0 * (91 - 80) / 80,
              1e-12);
  EXPECT_FALSE(statistic(report().experiment.value(), report().runs, "C", "delta_p").mean()) << "C has not run";
}

TEST_F(Grid, HasMeansAndSampleDeviations) {
  const auto tables = result_tables(report());
  ASSERT_EQ(tables.size(), 1u);
  const auto& ours = tables[0].rows[0].cells[0].ours;
  EXPECT_EQ(ours.values, (std::vector<double>{90, 91, 92}));
  EXPECT_EQ(ours.mean(), 91);
  EXPECT_EQ(ours.deviation(), 1) << "divisor n - 1";
  EXPECT_TRUE(ours.complete());
  EXPECT_FALSE(tables[0].rows[1].cells[0].ours.complete());
  EXPECT_THAT(*tables[0].rows[0].cells[1].ours.mean(), DoubleNear(91.0 / 80, 1e-12));
}

TEST_F(Grid, StandsBesideThePaper) {
  const auto text = markdown(report());
  EXPECT_THAT(text, HasSubstr("| case | MNIST | paper | MNIST, relative |"));
  EXPECT_THAT(text, HasSubstr("| A | 91.00 ± 1.00 | 91.50 ± 0.25 | 1.13"));
  EXPECT_THAT(text, HasSubstr("| B | 80.00 ± 0.00 (2 of 3) | – | – |"));
  EXPECT_THAT(text, HasSubstr("| C | – | – | – |"));
  EXPECT_THAT(latex(report()), HasSubstr("A & 91.00 $\\pm$ 1.00 & 91.50 $\\pm$ 0.25 &"));
  EXPECT_THAT(html(report()), HasSubstr("91.00 ± 1.00"));
}

ExperimentRecord::Estimate printed(double mean) {
  return {mean, std::nullopt};
}

/// Table 3 of the paper prints +0.96 for FORUM; by its accuracies it is (-1.12 + 3.14 + 1.15) / 3 = +1.05.
TEST_F(Grid, ADeltaPOfThePaperStandsAsPrintedBesideTheOneOfItsMetrics) {
  record.tables = {{"Table 3",
                    "B",
                    {{"A", accuracy, 1, false, "amazon"},
                     {"D", accuracy, 1, false, "dslr"},
                     {"W", accuracy, 1, false, "webcam"},
                     {"delta_p", "delta_p"}},
                    {{"B", "", {printed(86.61), printed(95.63), printed(96.85), printed(0.0)}},
                     {"A", "", {printed(85.64), printed(98.63), printed(97.96), printed(0.96)}},
                     {"C", "", {printed(85.64), printed(98.63), {}, printed(0.96)}}}}};
  const auto table = result_tables(report()).at(0);
  EXPECT_EQ(table.rows[1].cells[3].paper.mean, 0.96);
  EXPECT_THAT(table.rows[1].cells[3].recomputed.value(), DoubleNear(1.054, 5e-4));
  EXPECT_EQ(table.rows[0].cells[3].recomputed, 0);
  EXPECT_FALSE(table.rows[2].cells[3].recomputed) << "a metric is not printed";
  EXPECT_FALSE(table.rows[1].cells[0].recomputed) << "no delta_p";
  EXPECT_THAT(markdown(report()), HasSubstr("| delta_p | paper | paper, recomputed |"));
  EXPECT_THAT(markdown(report()), HasSubstr("| 0.96 | 1.05"));
  const auto cells = results_json(report())["tables"][0]["rows"][1]["cells"];
  EXPECT_EQ(cells[3]["paper"]["mean"], 0.96);
  EXPECT_THAT(cells[3]["paper"]["recomputed"].get<double>(), DoubleNear(1.054, 5e-4));
}

TEST(Table3, HasWhatThePaperPrintsForForum) {
  std::ifstream in(MOBLO_SOURCE_DIR "/experiments/table-3.toml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text, HasSubstr("{ case = \"FORUM\", paper = [85.64, 98.63, 97.96, 94.07, 0.96] }"));
}

TEST_F(Grid, CsvHasTheValueOfEachSeed) {
  const auto text = csv(report());
  EXPECT_THAT(text, HasSubstr("message,\"selected[\"\"test accuracy / mnist\"\"]\"\r\n"));
  EXPECT_THAT(text, HasSubstr(",92\r\n"));
}

TEST_F(Grid, NothingIsJudgedAgainstACaseThatDiverged) {
  for (int seed = 0; seed < 3; ++seed) {
    write_cell(folder.path() / ("C-" + std::to_string(seed)), std::numeric_limits<double>::infinity());
  }
  record.expectations = {{accuracy, std::nullopt, 0.5, std::nullopt, "A", "", {}, "C"}};
  EXPECT_NE(outcome(judge(*report().experiment, report().runs).at(0)), "met");
}

TEST_F(Grid, IsJudgedByMeans) {
  record.expectations = {{accuracy, std::nullopt, std::nullopt, 90.5, "A", "", {}},
                         {accuracy, std::nullopt, 90.5, std::nullopt, "A", "", {}},
                         {accuracy, std::nullopt, std::nullopt, 90.5, "A", "", {"B"}},
                         {accuracy, std::nullopt, std::nullopt, 1.0, "B", "", {}},
                         {accuracy, std::nullopt, std::nullopt, 1.0, "C", "", {}},
                         {accuracy, std::nullopt, 1.1, 1.0, "A seed 2", "", {}, "A seed 0"},
                         {accuracy, std::nullopt, std::nullopt, std::nullopt, "A seed 0", "", {"A seed 2"}}};
  const auto whole = report();
  std::vector<std::string> outcomes;
  for (const auto& verdict : judge(*whole.experiment, whole.runs)) outcomes.push_back(outcome(verdict));
  EXPECT_THAT(outcomes, testing::ElementsAre("met", "missed", "incomplete", "incomplete", "not run", "met", "missed"));
  EXPECT_EQ(result_tables(whole)[0].rows[0].verdict, "missed");
  EXPECT_THAT(markdown(whole), HasSubstr("at least 90.5, above B"));
}

TEST_F(Grid, ARunThatWasInterruptedIsNotJudgedYet) {
  write_cell(folder.path() / "B-2", 10, RunStatus::interrupted);
  record.expectations = {{accuracy, std::nullopt, std::nullopt, 50.0, "B", "", {}}};
  const auto whole = report();
  EXPECT_EQ(outcome(judge(*whole.experiment, whole.runs)[0]), "incomplete");
}

TEST_F(Grid, ResultsForProgramsHaveEveryValue) {
  const auto json = results_json(report());
  const auto& cell = json["tables"][0]["rows"][0]["cells"][0];
  EXPECT_EQ(cell["values"], Json::parse("[90.0, 91.0, 92.0]"));
  EXPECT_EQ(cell["mean"], 91.0);
  EXPECT_EQ(cell["deviation"], 1.0);
  EXPECT_EQ(cell["paper"]["mean"], 91.5);
  EXPECT_TRUE(json["tables"][0]["rows"][2]["cells"][0]["mean"].is_null());
  EXPECT_EQ(json["runs"].size(), 5u);
}

TEST_F(Grid, ComesBackFromDiskAsItWas) {
  const auto read = report();
  EXPECT_EQ(to_json(*read.experiment), to_json(record));
  EXPECT_EQ(read.experiment->cases[4].group, "B");
  EXPECT_EQ(read.experiment->cases[4].x.at("T"), 16);
}

TEST_F(Grid, APanelWithAnXHasOnePointACase) {
  record.panels = {{"Accuracy", accuracy, false, {}}};
  record.panels[0].x = "T";
  record.panels[0].x_title = "lower steps";
  const auto page = html(report());
  EXPECT_THAT(page, HasSubstr("lower steps"));
  EXPECT_THAT(page, HasSubstr("class=\"whisker s0\""));
  EXPECT_THAT(page, testing::Not(HasSubstr(">iteration<")));
}

TEST(QuantityOfTheMachine, IsOfTheStepsAfterTheFirst) {
  fixtures::TemporaryFolder folder;
  write_cell(folder / "run", 90);
  const auto run = records::read_run(folder / "run");
  EXPECT_EQ(quantity(run, "step_seconds", std::nullopt), 1.0) << "the median of 0.5, 1 and 1.5";
  EXPECT_EQ(quantity(run, "peak_bytes", std::nullopt), 123.0 * (1 << 20));
  EXPECT_EQ(quantity(run, "added_bytes", std::nullopt), 23.0 * (1 << 20));
  EXPECT_FALSE(quantity(run, "selected[\"unheard of\"]", std::nullopt));
}

}  // namespace
}  // namespace moblo::lab::report
