#include "lab/report/comparison.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "moblo/aggregation/pareto.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::lab::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

records::RunRecord run_with(double loss, std::uint64_t seed, std::int64_t steps) {
  records::RunRecord run;
  run.manifest = fixtures::sample_manifest();
  run.manifest.config["seed"] = seed;
  for (std::int64_t k = 0; k < steps; ++k) {
    run.steps.push_back(fixtures::sample_step(k));
    run.steps.back().losses = {loss, 1 - loss};
  }
  return run;
}

TEST(RunGroups, AreRunsThatDifferInTheirSeedAlone) {
  Report report;
  report.runs = {
      {"forum-seed-0", run_with(1, 0, 3)}, {"forum-seed-1", run_with(2, 1, 3)}, {"other", run_with(3, 0, 3)}};
  report.runs[2].second.manifest.config["method"] = "moml";
  const auto groups = run_groups(report);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "forum");
  EXPECT_EQ(groups[0].runs.size(), 2u);
  EXPECT_EQ(groups[1].name, "other");
}

TEST(ComparisonFigures, ShowMeanAndDeviationWhereAllSeedsHaveAValue) {
  Report report;
  report.runs = {{"a-seed-0", run_with(1, 0, 5)}, {"a-seed-1", run_with(2, 1, 3)}, {"a-seed-2", run_with(3, 2, 5)}};
  for (const auto& figure : comparison_figures(report)) {
    if (figure.title != "Loss F1") continue;
    ASSERT_EQ(figure.curves.size(), 1u);
    const auto& points = figure.curves[0].points;
    ASSERT_EQ(points.size(), 3u) << "one of the seeds has done no more";
    EXPECT_DOUBLE_EQ(points[2].y, 2);
    EXPECT_DOUBLE_EQ(points[2].deviation, 1);
    EXPECT_THAT(figure_html(figure), HasSubstr("class=\"band f0\""));
    return;
  }
  FAIL() << "no figure of the first loss";
}

TEST(FrontFigures, ShowTheRunsThatNoOtherBeats) {
  Report report;
  report.runs = {{"a", run_with(0.2, 0, 1)}, {"b", run_with(0.6, 0, 1)}, {"c", run_with(0.7, 0, 1)}};
  report.runs[2].second.steps[0].losses = {0.7, 0.9};
  const auto figures = front_figures(report);
  ASSERT_EQ(figures.size(), 1u);
  const auto& front = figures[0].curves.back();
  ASSERT_EQ(front.points.size(), 2u);
  EXPECT_EQ(front.points[0].x, 0.2);
  EXPECT_EQ(front.points[1].x, 0.6);
  report.runs[0].second.steps[0].losses = {1, 2, 3};
  EXPECT_TRUE(front_figures(report).empty());
}

TEST(FrontFigures, ShowPairsOfThreeLossesAndMoreSideBySide) {
  Report report;
  report.runs = {{"a", run_with(0, 0, 1)}, {"b", run_with(0, 0, 1)}, {"c", run_with(0, 0, 1)}};
  const auto set = [&](std::size_t run, std::vector<double> losses) {
    report.runs[run].second.steps[0].losses = std::move(losses);
  };
  set(0, {1, 2, 3});
  set(1, {3, 2, 1});
  set(2, {3, 3, 3});
  const auto pairs = front_figures(report);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[1].x_label + pairs[1].y_label, "F1F3");
  EXPECT_EQ(pairs[1].curves.back().points.size(), 2u);
  EXPECT_THAT(pairs[0].note, HasSubstr("in all losses: a, b"));

  for (std::size_t run = 0; run < 3; ++run) set(run, {1, 2, 3, static_cast<double>(run)});
  const auto side = front_figures(report);
  ASSERT_EQ(side.size(), 1u);
  ASSERT_EQ(side[0].curves.size(), 3u);
  EXPECT_EQ(side[0].curves[1].points[3].y, 0.5);
  EXPECT_THAT(side[0].note, HasSubstr("in all losses: a"));
}

TEST(FrontFigures, MakeOneCloudOfManyMethods) {
  Report report;
  for (int i = 0; i < 20; ++i) report.runs.emplace_back("method " + std::to_string(i), run_with(0.1 * i, 0, 1));
  const auto figures = front_figures(report);
  ASSERT_EQ(figures.size(), 1u);
  ASSERT_EQ(figures[0].curves.size(), 2u);
  EXPECT_EQ(figures[0].curves[0].points.size(), 20u);
}

TEST(NonDominated, KeepsWhatNoOtherBeats) {
  EXPECT_THAT(aggregation::non_dominated({{3, 1}, {1, 3}, {2, 2}, {2, 2}, {3, 3}, {1, 4}}),
              ElementsAre(aggregation::Objectives{1, 3}, aggregation::Objectives{2, 2}, aggregation::Objectives{3, 1}));
  EXPECT_TRUE(aggregation::non_dominated({}).empty());
  EXPECT_THAT(aggregation::non_dominated({{1, 2, 3}, {1, 2, 4}, {2, 1, 3}, {3, 3, 1}}),
              ElementsAre(aggregation::Objectives{1, 2, 3}, aggregation::Objectives{2, 1, 3},
                          aggregation::Objectives{3, 3, 1}));
}

TEST(Hypervolume, IsTheAreaBelowTheReference) {
  EXPECT_DOUBLE_EQ(aggregation::hypervolume({{1, 3}, {2, 2}, {3, 1}}, {4, 4}), 3 + 2 + 1);
  EXPECT_DOUBLE_EQ(aggregation::hypervolume({{1, 3}, {5, 0}}, {4, 4}), 3)
      << "a point beyond the reference counts nothing";
  EXPECT_DOUBLE_EQ(aggregation::hypervolume({}, {4, 4}), 0);
  EXPECT_DOUBLE_EQ(aggregation::hypervolume({{0, 0, 1}, {1, 1, 0}}, {2, 2, 2}), 4 + 1)
      << "a 2 x 2 x 1 box and what is below it";
}

}  // namespace
}  // namespace moblo::lab::report
