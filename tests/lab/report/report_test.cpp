#include "lab/report/report.hpp"

#include <gmock/gmock.h>

#include "lab/report/page.hpp"
#include "moblo/base/clock.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::lab::report {
namespace {

using fixtures::error_text;
using testing::HasSubstr;
using testing::Not;

constexpr const char* hostile = "<script>alert('x')</script> & \"a|b\", 50% of $x_1$ {[\\]}";

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// Two cases that were run, one that was not, and expectations of every outcome.
void write_sample_experiment(const std::filesystem::path& folder) {
  ExperimentRecord record;
  record.name = "figure-1";
  record.title = "Figure 1";
  record.shows = "forum reaches the set";
  record.source = "Figure 1 of the paper";
  record.cases = {{"near", "a"}, {"far", "b"}, {"later", "c"}};
  record.panels = {{"Distance", "distance", true, {}}, {"Multiplier", "nu", false, {"near"}}};
  record.expectations = {{"distance", std::nullopt, 1.0, std::nullopt, "near", "Figure 1"},
                         {"distance", 100, std::nullopt, 1.0, "far", "Figure 1"},
                         {"kkt", std::nullopt, 0.5, 0.0, "", "Theorem 2"},
                         {"unheard of", std::nullopt, 0.5, 0.0, "near", ""},
                         {"kkt", std::nullopt, 0.5, 0.0, "misspelt", ""}};
  write_experiment(folder, record);
  fixtures::write_sample_run(folder / "a", 200);
  fixtures::write_sample_run(folder / "b", 200);
}

TEST(LoadReport, OfOneRunHasItsTitle) {
  fixtures::TemporaryFolder folder;
  fixtures::write_sample_run(folder / "run", 5, "my title");
  const auto report = load_report({folder / "run"});
  EXPECT_EQ(report.title, "my title");
  ASSERT_EQ(report.runs.size(), 1u);
  EXPECT_EQ(report.runs[0].first, "run");
  EXPECT_EQ(load_report({folder / "run/"}).runs[0].first, "run");
}

void write_named_run(const std::filesystem::path& folder, const Json& names) {
  fixtures::write_sample_run(folder, 5);
  auto manifest = records::read_manifest(folder);
  manifest.problem["objectives"] = names;
  fixtures::write_raw(folder / "manifest.json", records::to_json(manifest).dump());
}

TEST(ObjectiveNamesTest, StandInTablesAndFiguresWhereTheProblemGivesThem) {
  fixtures::TemporaryFolder folder;
  write_named_run(folder / "run", {"size", "<error>"});
  const auto report = load_report({folder / "run"});
  EXPECT_THAT(markdown(report), HasSubstr("final losses (size, "));
  EXPECT_THAT(html(report), testing::AllOf(HasSubstr("<span>size</span>"), HasSubstr("<span>&lt;error&gt;</span>"),
                                           Not(HasSubstr("<span>F1</span>"))));
  EXPECT_THAT(terminal(report, false), HasSubstr("size"));
}

TEST(ObjectiveNamesTest, StandBesideEachValueWhereRunsDiffer) {
  fixtures::TemporaryFolder folder;
  write_named_run(folder / "a", {"size", "error"});
  fixtures::write_sample_run(folder / "b", 5);
  const auto text = markdown(load_report({folder.path()}));
  EXPECT_THAT(text, testing::AllOf(HasSubstr("| final losses |"), HasSubstr("size "), HasSubstr("F1 ")));
}

TEST(ObjectiveNamesTest, AreF1F2WhereThereAreNone) {
  fixtures::TemporaryFolder folder;
  fixtures::write_sample_run(folder / "run", 5);
  const auto report = load_report({folder / "run"});
  EXPECT_THAT(markdown(report), HasSubstr("| final losses |"));
  EXPECT_THAT(html(report), HasSubstr("<span>F1</span>"));
  for (const Json& odd : {Json("text"), Json(3), Json::array({1, nullptr})}) {
    write_named_run(folder / "odd", odd);
    EXPECT_THAT(html(load_report({folder / "odd"})), HasSubstr("<span>F1</span>"));
    std::filesystem::remove_all(folder / "odd");
  }
}

TEST(LoadReport, FindsRunsBelowAFolderAndTellsEqualNamesApart) {
  fixtures::TemporaryFolder folder;
  fixtures::write_sample_run(folder / "x/seed-0", 2);
  fixtures::write_sample_run(folder / "x/seed-1", 2);
  fixtures::write_sample_run(folder / "y/seed-0", 2);
  const auto report = load_report({folder / "x"});
  ASSERT_EQ(report.runs.size(), 2u);
  EXPECT_EQ(report.runs[1].first, "seed-1");
  EXPECT_EQ(report.title, "2 runs");
  const auto both = load_report({folder / "x/seed-0", folder / "y/seed-0"});
  EXPECT_NE(both.runs[0].first, both.runs[1].first);
}

TEST(LoadReport, SaysWhatIsMissing) {
  fixtures::TemporaryFolder folder;
  EXPECT_THAT(error_text(ErrorKind::usage, [] { load_report({}); }), HasSubstr("at least one run"));
  EXPECT_THAT(error_text(ErrorKind::usage, [&] { load_report({folder / "nowhere"}); }), HasSubstr("nowhere"));
  EXPECT_THAT(error_text(ErrorKind::data, [&] { load_report({folder.path()}); }), HasSubstr("holds no run"));
}

TEST(LoadReport, OfAnExperimentHasTheCasesThatWereRun) {
  fixtures::TemporaryFolder folder;
  write_sample_experiment(folder.path());
  const auto report = load_report({folder.path()});
  ASSERT_TRUE(report.experiment);
  EXPECT_EQ(report.title, "Figure 1");
  ASSERT_EQ(report.runs.size(), 2u);
  EXPECT_EQ(report.runs[1].first, "far");
}

TEST(Judge, HoldsEachExpectationAgainstItsCases) {
  fixtures::TemporaryFolder folder;
  write_sample_experiment(folder.path());
  const auto report = load_report({folder.path()});
  const auto verdicts = judge(*report.experiment, report.runs);
  std::vector<std::string> outcomes;
  for (const auto& verdict : verdicts) outcomes.push_back(verdict.case_name + ": " + outcome(verdict));
  EXPECT_THAT(outcomes, testing::ElementsAre("near: met", "far: missed", "near: met", "far: met", "later: not run",
                                             "near: no value", "misspelt: not run"));
  EXPECT_EQ(verdicts[0].rule, "at most 1");
  EXPECT_EQ(verdicts[0].what, "distance at the end");
  EXPECT_EQ(verdicts[1].rule, "at least 1");
  EXPECT_EQ(verdicts[1].what, "distance at iteration 100");
  EXPECT_EQ(verdicts[1].value, *fixtures::sample_step(100).distance);
  EXPECT_EQ(verdicts[2].rule, "between 0 and 0.5");
  EXPECT_EQ(verdicts[2].source, "Theorem 2");
}

TEST(Judge, NotANumberMeetsNoBound) {
  ExperimentRecord experiment;
  experiment.cases = {{"one", "one"}};
  experiment.expectations = {{"q", std::nullopt, 1.0, std::nullopt, "", ""},
                             {"q", std::nullopt, std::nullopt, 1.0, "", ""}};
  records::RunRecord run;
  run.summary.emplace();
  run.summary->final_state = {{"q", "NaN"}};
  for (const auto& verdict : judge(experiment, {{"one", run}})) EXPECT_EQ(outcome(verdict), "missed");
}

class FormatsOfAReport : public testing::Test {
 protected:
  FormatsOfAReport() {
    write_sample_experiment(folder / "experiment");
    fixtures::write_sample_run(folder / "run", 300, hostile);
    auto diverged = records::RunFolder::create(folder / "diverged, \"early\"", fixtures::sample_manifest(""));
    diverged.append(fixtures::sample_step(0));
    Summary ended;
    ended.status = RunStatus::non_finite;
    ended.message = "loss 2 was infinite";
    ended.final_state = {{"losses", {std::nan(""), HUGE_VAL}}};
    diverged.save_summary(ended);
    run = load_report({folder / "run"});
    experiment = load_report({folder / "experiment"});
    mixed = load_report({folder / "run", folder / "diverged, \"early\""});
  }

  fixtures::TemporaryFolder folder;
  Report run, experiment, mixed;
};

TEST_F(FormatsOfAReport, MarkdownHasOneRowARunAndTheVerdicts) {
  const auto text = markdown(experiment);
  EXPECT_THAT(text, HasSubstr("| near | completed | 200 | 1 | 0.3401, 0.2084 |"));
  EXPECT_THAT(text, HasSubstr("3 of 7 expectations met, 1 missed, 2 not run, 1 no value"));
  EXPECT_THAT(text, HasSubstr("| missed | far | distance at iteration 100 |"));
  EXPECT_THAT(markdown(run), Not(HasSubstr("<script>")));
  EXPECT_THAT(markdown(run), HasSubstr("a\\|b"));
}

TEST_F(FormatsOfAReport, LatexIsBooktabsWithEveryStringEscaped) {
  auto renamed = experiment;
  renamed.runs[0].first = hostile;
  const auto text = latex(renamed);
  EXPECT_EQ(count_of(text, "\\begin{tabular}"), 2u);
  for (const auto* rule : {"\\toprule", "\\midrule", "\\bottomrule"}) EXPECT_EQ(count_of(text, rule), 2u);
  EXPECT_THAT(text, HasSubstr("50\\% of \\$x\\_1\\$ \\{{[}\\textbackslash{}]\\}"));
  EXPECT_THAT(text, HasSubstr("\\times10^{-"));
  EXPECT_THAT(latex(mixed), HasSubstr("NaN, $\\infty$"));
}

TEST_F(FormatsOfAReport, CsvQuotesAsTheStandardSaysAndKeepsEveryDigit) {
  const auto text = csv(mixed);
  EXPECT_THAT(text,
              testing::StartsWith("run,status,iterations,seconds,losses[0],losses[1],q,kkt,distance,message\r\n"));
  EXPECT_THAT(text, HasSubstr("\"diverged, \"\"early\"\"\",non_finite,0,0,NaN,inf,"));
  EXPECT_EQ(count_of(text, "\r\n"), 3u);
  const auto begin = text.find("run,completed,300,1.5,") + 22;
  EXPECT_EQ(std::stod(text.substr(begin)), fixtures::sample_step(300).losses[0]);
}

TEST_F(FormatsOfAReport, PageOfARunShowsHowItEndedAndItsFigures) {
  const auto page = html(run);
  EXPECT_THAT(page, HasSubstr("all iterations done"));
  for (const auto* title : {"Upper losses", "Weights of the objectives", "Multiplier of the constraint",
                            "Lower-level gap q and stationarity K", "Distance to the solution set", "Gradient norms",
                            "Time by phase", "test accuracy", "Configuration", "Environment"}) {
    EXPECT_THAT(page, HasSubstr(title));
  }
  EXPECT_THAT(page, HasSubstr("<th>forum.rho</th><td>0.1</td>"));
  EXPECT_THAT(html(load_report({folder / "diverged, \"early\""})), HasSubstr("loss 2 was infinite"));
}

TEST_F(FormatsOfAReport, PageOfAnExperimentShowsVerdictsPanelsAndRuns) {
  const auto page = html(experiment);
  EXPECT_THAT(page, HasSubstr("forum reaches the set"));
  for (const auto* word : {">met<", ">missed<", ">not run<", ">no value<"}) EXPECT_THAT(page, HasSubstr(word));
  EXPECT_EQ(count_of(page, "<figure data-figure"), 4u) << "two panels, a metric, the front";
  EXPECT_EQ(count_of(page, "<title>far</title>"), 2u) << "in one of the panels and in the metric";
}

TEST_F(FormatsOfAReport, PageKeepsHostileNamesInertAndAsksForNothing) {
  auto everywhere = experiment;
  everywhere.title = hostile;
  everywhere.experiment->shows = hostile;
  everywhere.experiment->panels[0].title = hostile;
  everywhere.experiment->panels[0].quantity = hostile;
  everywhere.experiment->expectations[0].source = hostile;
  everywhere.runs[0].first = hostile;
  everywhere.runs[0].second.manifest.config[hostile] = hostile;
  for (const auto* library : {"", "globalThis.echarts = {};"}) {
    for (const auto& page : {html(everywhere, library), html(run, library)}) {
      EXPECT_EQ(count_of(page, "<script>alert"), 0u);
      EXPECT_EQ(count_of(page, "</script> & "), 0u);
      EXPECT_GT(count_of(page, "&lt;script&gt;"), 0u);
      for (const auto* outside : {"http://", "https://", "src=", "@import", "url("}) {
        EXPECT_EQ(count_of(page, outside), 0u) << outside;
      }
    }
  }
}

TEST_F(FormatsOfAReport, PageWithTheChartLibraryCarriesItAndTheData) {
  const auto page = html(run, "/* the library */");
  EXPECT_EQ(count_of(page, "<script>/* the library */</script>"), 1u);
  EXPECT_EQ(count_of(page, "id=\"figures\""), 1u);
  EXPECT_EQ(count_of(page, "'sha256-"), 4u) << "colours, numbers, library, charts";
  EXPECT_THAT(page, Not(HasSubstr(no_chart_library)));
}

TEST_F(FormatsOfAReport, PageWithoutTheChartLibrarySaysSo) {
  const auto page = html(run);
  EXPECT_THAT(page, HasSubstr(no_chart_library));
  EXPECT_EQ(count_of(page, "id=\"figures\""), 0u);
  EXPECT_GT(count_of(page, "<svg class=\"plot\""), 5u);
}

TEST_F(FormatsOfAReport, PolicyNamesEachScriptByItsHash) {
  const auto page = html(run, "lib");
  // Of the three bytes "lib", by sha256sum and base64.
  EXPECT_THAT(page, HasSubstr("'sha256-drWjVzkSdrKCpRb1T0jvPCB/RtgZLcWMII1Rg9OEFfg='")) << page.substr(0, 900);
}

TEST_F(FormatsOfAReport, TerminalShowsSparklinesAndKeepsEscapeCodesOut) {
  auto renamed = run;
  renamed.title = "a\x1b[31mb";
  const auto text = terminal(renamed, false);
  EXPECT_THAT(text, HasSubstr("a?[31mb"));
  EXPECT_THAT(text, HasSubstr("completed, 300 iterations"));
  EXPECT_THAT(text, HasSubstr("█"));
  EXPECT_THAT(text, HasSubstr("Evaluation at iteration 200"));
  EXPECT_EQ(count_of(text, "\x1b"), 0u);
  EXPECT_GT(count_of(terminal(run, true), "\x1b[1m"), 0u);
  EXPECT_THAT(terminal(experiment, false), HasSubstr("3 of 7 expectations met"));
}

TEST_F(FormatsOfAReport, ARunWithoutAnyRecordIsReportedAllTheSame) {
  records::RunFolder::create(folder / "fresh", fixtures::sample_manifest());
  const auto fresh = load_report({folder / "fresh"});
  EXPECT_THAT(markdown(fresh), HasSubstr("| fresh | running | 0 | 0 | – |"));
  EXPECT_THAT(html(fresh), HasSubstr("no values to draw"));
  latex(fresh);
  csv(fresh);
}

TEST_F(FormatsOfAReport, ARunThatGoesOnShowsItsLastRecord) {
  std::filesystem::remove(folder / "run/summary.json");
  const auto going_on = load_report({folder / "run"});
  EXPECT_THAT(markdown(going_on), HasSubstr("| run | running | 300 | 1.506 | 0.3339, 0.1361 |"));
}

TEST_F(FormatsOfAReport, AHundredThousandStepsStayASmallPage) {
  Report large = run;
  auto& steps = large.runs[0].second.steps;
  for (std::int64_t k = 300; k < 100'000; ++k) steps.push_back(fixtures::sample_step(k));
  EXPECT_LT(html(large).size(), 400'000u);
}

}  // namespace
}  // namespace moblo::lab::report
