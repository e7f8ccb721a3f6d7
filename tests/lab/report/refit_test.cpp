#include <gmock/gmock.h>

#include "lab/report/experiment_record.hpp"
#include "lab/report/report.hpp"
#include "lab/report/summary_table.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::lab::report {
namespace {

using testing::HasSubstr;
using testing::Not;

records::Refit sample_refit() {
  return {"fresh",
          2280,
          1938,
          {{0.3, 0.6}, 0.46, {{"test accuracy", 90.18}}},
          {{0.4, 0.7}, 0.42, {{"test accuracy", 89.98}}}};
}

class RefittedRun : public testing::Test {
 protected:
  explicit RefittedRun() {
    auto run = records::RunFolder::create(folder / "run", fixtures::sample_manifest());
    run.append(fixtures::sample_step(0));
    auto summary = fixtures::sample_summary(1);
    summary.refit = sample_refit();
    summary.warnings = {"a refit of 7 steps only"};
    run.save_summary(summary);
  }

  Report report() { return load_report({folder / "run"}); }
  std::optional<double> value(const std::string& name) {
    return quantity(report().runs.front().second, name, std::nullopt);
  }

  fixtures::TemporaryFolder folder;
};

TEST_F(RefittedRun, HasQuantitiesOfBothModels) {
  EXPECT_EQ(value("joint[\"test accuracy\"]"), 90.18);
  EXPECT_EQ(value("refit[\"test accuracy\"]"), 89.98);
  EXPECT_EQ(value("joint.losses[1]"), 0.6);
  EXPECT_EQ(value("refit.losses[1]"), 0.7);
  EXPECT_EQ(value("refit.lower_loss"), 0.42);
  for (const auto* none : {"refit[\"unheard of\"]", "refit.losses[2]", "refit.losses", "refit.", "refit"}) {
    EXPECT_EQ(value(none), std::nullopt) << none;
  }
}

TEST_F(RefittedRun, ShowsBothModelsInEveryFormat) {
  for (const auto& text : {markdown(report()), terminal(report(), false), html(report(), "")}) {
    EXPECT_THAT(text, HasSubstr("retrained with its alpha"));
    EXPECT_THAT(text, HasSubstr("90.18"));
    EXPECT_THAT(text, HasSubstr("89.98"));
    EXPECT_THAT(text, HasSubstr("2280 steps, model of step 1938"));
  }
}

TEST_F(RefittedRun, ShowsTheWarnings) {
  EXPECT_THAT(html(report(), ""), HasSubstr("Warning: a refit of 7 steps only"));
}

TEST(RefitTable, SaysWhereTheTrainingStarted) {
  auto refit = sample_refit();
  EXPECT_THAT(refit_table(refit, {}).meaning, HasSubstr("again from its start"));
  refit.from = "current";
  EXPECT_THAT(refit_table(refit, {}).meaning, HasSubstr("on from the run"));
}

TEST(RunReport, WithoutARefitHasNoSuchSection) {
  const fixtures::TemporaryFolder folder;
  fixtures::write_sample_run(folder / "run", 5);
  EXPECT_THAT(html(load_report({folder / "run"}), ""), Not(HasSubstr("retrained with its alpha")));
}

}  // namespace
}  // namespace moblo::lab::report
