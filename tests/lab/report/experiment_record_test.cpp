#include "lab/report/experiment_record.hpp"

#include <gmock/gmock.h>

#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::lab::report {
namespace {

using fixtures::error_text;
using testing::HasSubstr;

ExperimentRecord sample_experiment() {
  ExperimentRecord record;
  record.name = "figure-1";
  record.title = "Distance to the solution set";
  record.cost = "2 s on one core";
  record.shows = "forum reaches the set";
  record.source = "Figure 1";
  record.cases = {{"forum", "forum"}, {"moml", "moml"}};
  record.panels = {{"distance", "distance", true, {}}, {"nu", "nu", false, {"forum"}}};
  record.expectations = {{"distance", std::nullopt, 1e-3, std::nullopt, "forum", "Figure 1"},
                         {"losses[0]", 10, std::nullopt, 0.25, "", ""}};
  return record;
}

TEST(ExperimentOnDisk, ComesBackAsItWas) {
  fixtures::TemporaryFolder folder;
  write_experiment(folder / "new/figure-1", sample_experiment());
  const auto back = read_experiment(folder / "new/figure-1");
  ASSERT_TRUE(back);
  EXPECT_EQ(to_json(*back), to_json(sample_experiment()));
  EXPECT_FALSE(back->expectations[0].at);
  EXPECT_EQ(back->expectations[1].at, 10);
  EXPECT_FALSE(back->panels[1].log);
}

TEST(ExperimentOnDisk, IsAbsentWhereTheFileIsMissing) {
  fixtures::TemporaryFolder folder;
  EXPECT_FALSE(read_experiment(folder.path()));
}

TEST(ExperimentOnDisk, NamesTheFileAndTheKeyThatIsWrong) {
  fixtures::TemporaryFolder folder;
  for (const auto* key : {"name", "title", "cases", "panels", "expectations"}) {
    auto json = to_json(sample_experiment());
    json.erase(key);
    fixtures::write_raw(folder / "experiment.json", json.dump());
    const auto message = error_text(ErrorKind::data, [&] { read_experiment(folder.path()); });
    EXPECT_THAT(message, HasSubstr(std::string("'") + key + "' is missing"));
    EXPECT_THAT(message, HasSubstr("experiment.json"));
  }
  auto json = to_json(sample_experiment());
  json["panels"][0]["log"] = "yes";
  EXPECT_THAT(error_text(ErrorKind::data, [&] { experiment_record(json); }), HasSubstr("'log'"));
}

class QuantityOfARun : public testing::Test {
 protected:
  QuantityOfARun() {
    for (std::int64_t k = 0; k < 10; ++k) run.steps.push_back(fixtures::sample_step(k));
    run.summary = fixtures::sample_summary(10);
  }

  records::RunRecord run;
};

TEST_F(QuantityOfARun, ComesFromTheStepOfThatIteration) {
  const auto step = fixtures::sample_step(4);
  EXPECT_EQ(quantity(run, "distance", 4), step.distance);
  EXPECT_EQ(quantity(run, "kkt", 4), step.kkt);
  EXPECT_EQ(quantity(run, "q", 4), step.q);
  EXPECT_EQ(quantity(run, "lower_loss", 4), step.lower_loss);
  EXPECT_EQ(quantity(run, "nu", 4), step.nu);
  EXPECT_EQ(quantity(run, "qp_residual", 4), step.qp_residual);
  EXPECT_EQ(quantity(run, "losses[1]", 4), step.losses[1]);
  EXPECT_EQ(quantity(run, "weights[0]", 4), step.weights[0]);
  EXPECT_EQ(quantity(run, "solved_weights[1]", 4), step.solved_weights[1]);
  EXPECT_EQ(quantity(run, "gradient_norms[2]", 4), step.gradient_norms[2]);
}

TEST_F(QuantityOfARun, ComesFromTheFinalStateAtTheEnd) {
  const auto last = fixtures::sample_step(10);
  EXPECT_EQ(quantity(run, "distance", std::nullopt), last.distance);
  EXPECT_EQ(quantity(run, "losses[1]", 10), last.losses[1]);
  EXPECT_EQ(quantity(run, "alpha[0]", std::nullopt), 0.25);
  EXPECT_EQ(quantity(run, "omega[1]", std::nullopt), -0.5);
}

TEST_F(QuantityOfARun, IsEmptyWhereTheRunDoesNotKnowIt) {
  for (const auto* name :
       {"losses[2]", "losses", "kkt[0]", "losses[x]", "losses[-1]", "losses[]", "]", "", "alpha[0]"}) {
    EXPECT_FALSE(quantity(run, name, 4)) << name;
  }
  for (const auto* name : {"losses[2]", "losses", "omega[9]", "nu", "alpha[99999999999999999999]"}) {
    EXPECT_FALSE(quantity(run, name, std::nullopt)) << name;
  }
  EXPECT_FALSE(quantity(run, "kkt", 11));
  run.summary.reset();
  EXPECT_FALSE(quantity(run, "kkt", std::nullopt));
}

}  // namespace
}  // namespace moblo::lab::report
