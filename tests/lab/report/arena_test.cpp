#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "lab/report/arena_page.hpp"
#include "lab/report/arena_statistics.hpp"
#include "moblo/base/error.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::lab::report::arena_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double never = std::numeric_limits<double>::infinity();

ArenaRecord::Cell cell_of(const std::vector<std::optional<double>>& scores) {
  ArenaRecord::Cell cell;
  cell.candidates = {{0.1, 0.2, 0.3, "cells/a", "completed", 0.5}};
  cell.chosen = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    ArenaRecord::Trial trial;
    trial.seed = static_cast<std::int64_t>(i) + 1;
    trial.status = scores[i] ? "completed" : "non_finite";
    trial.joint = scores[i];
    trial.gradients = {10, 20, 5};
    trial.seconds = 0.5;
    trial.iterations = 7;
    if (scores[i]) trial.progress = {{0, 2 * *scores[i]}, {30, *scores[i]}};
    cell.trials.push_back(trial);
  }
  return cell;
}

/// Two problems, three methods, two seeds.
ArenaRecord sample() {
  ArenaRecord arena;
  arena.title = "an arena";
  arena.stopped_because = "All cells are done";
  arena.methods = {"a", "b", "c"};
  arena.seeds = {1, 2};
  arena.problems = {{"p", "distance", 40, 0.01}, {"q", "loss", 40, 0.01}};
  arena.cells = {cell_of({1.0, 1.0}), cell_of({2.0, 2.0}),     cell_of({std::nullopt, std::nullopt}),
                 cell_of({0.5, 3.0}), cell_of({0.001, 0.002}), cell_of({0.003, 0.02})};
  return arena;
}

/// The sample with another value somewhere, read back.
void expect_refused(const std::string& place, const Json& value) {
  Json json = to_json(sample());
  json[Json::json_pointer(place)] = value;
  EXPECT_THROW(arena_record(json), Error) << place << " = " << value;
}

TEST(ArenaRecord, ThatIsForgedIsRefused) {
  EXPECT_EQ(to_json(arena_record(to_json(sample()))), to_json(sample()));
  for (const auto* score : {"/cells/0/trials/0/joint", "/cells/0/trials/1/refit"}) {
    expect_refused(score, "NaN");  // sorting would have no order
    expect_refused(score, "Infinity");
  }
  for (const auto& resolution : {Json(0), Json(-1), Json("NaN"), Json("Infinity")}) {
    expect_refused("/problems/0/resolution", resolution);
  }
  expect_refused("/problems/0/budget", 0);
  expect_refused("/seeds/0", 1e300);
  expect_refused("/seeds/0", 1.5);
  expect_refused("/methods/3", "d");
}

TEST(ArenaStatistics, RanksShareTheirPlaces) {
  EXPECT_THAT(ranks_of({3, 1, 2}), ElementsAre(3, 1, 2));
  EXPECT_THAT(ranks_of({1, 1, 0, never, never}), ElementsAre(2.5, 2.5, 1, 4.5, 4.5));
}

TEST(ArenaStatistics, ScoresBelowTheResolutionAreEqualAndFailuresAreLast) {
  const auto scores = arena_scores(sample(), ArenaModel::joint);
  EXPECT_THAT(scores.values[1][1], ElementsAre(0.01, 0.01));
  EXPECT_THAT(scores.values[1][2], ElementsAre(0.01, 0.02));
  EXPECT_THAT(scores.values[0][2], ElementsAre(never, never));
  EXPECT_TRUE(arena_scores(sample(), ArenaModel::refit).problems.empty());
}

TEST(ArenaStatistics, MeanRanksAndTheirIntervals) {
  const auto ranks = mean_ranks(arena_scores(sample(), ArenaModel::joint));
  // p: 1, 2, 3 on both seeds. q: (3, 1.5, 1.5) and (3, 1, 2).
  EXPECT_DOUBLE_EQ(ranks[0].mean, 2);
  EXPECT_DOUBLE_EQ(ranks[1].mean, (2 + 1.25) / 2);
  EXPECT_DOUBLE_EQ(ranks[2].mean, (3 + 1.75) / 2);
  EXPECT_DOUBLE_EQ(ranks[0].low, 2);  // the same on every seed: nothing to doubt
  EXPECT_DOUBLE_EQ(ranks[0].high, 2);
  EXPECT_DOUBLE_EQ(ranks[1].low, 1.5);  // both draws of q are the second seed
  EXPECT_DOUBLE_EQ(ranks[1].high, 1.75);
}

TEST(ArenaStatistics, ProfilesCountProblemsWithinAFactor) {
  const auto ratios = ratios_to_best(arena_scores(sample(), ArenaModel::joint));
  EXPECT_THAT(ratios[0], ElementsAre(1, testing::DoubleEq(175)));
  EXPECT_THAT(ratios[1], ElementsAre(2, 1));
  EXPECT_THAT(ratios[2], ElementsAre(never, testing::DoubleEq(1.5)));
  EXPECT_EQ(share_within(ratios[1], 1), 0.5);
  EXPECT_EQ(share_within(ratios[1], 2), 1);
  EXPECT_EQ(share_within(ratios[2], 1e9), 0.5);
}

TEST(ArenaStatistics, ProgressIsTheMedianOfTheBestSoFar) {
  const auto curve = median_progress(cell_of({1.0, 3.0}), 40, 4);
  ASSERT_EQ(curve.size(), 5U);
  EXPECT_EQ(curve[0].best, 4);
  EXPECT_EQ(curve[2].best, 4);
  EXPECT_EQ(curve[3].best, 2);
  EXPECT_TRUE(median_progress(cell_of({1.0, std::nullopt}), 40, 4).empty());
}

/// Steps that cost 3 gradients and one second-order product each.
records::RunRecord run_with(const std::vector<double>& distances) {
  records::RunRecord run;
  for (std::size_t k = 0; k < distances.size(); ++k) {
    StepRecord step;
    step.k = static_cast<std::int64_t>(k);
    step.distance = distances[k];
    step.losses = {distances[k], 1};
    step.gradients = {2, 1, 1};
    run.steps.push_back(step);
  }
  Summary summary;
  summary.status = RunStatus::completed;
  summary.iterations = static_cast<std::int64_t>(distances.size());
  summary.final_state = {{"distance", 0.25}, {"losses", {0.25, 1.0}}};
  run.summary = summary;
  run.evaluations = {{0, {{"error", 8.0}}}, {2, {{"error", 9.0}}}, {3, {{"error", 5.0}}}};
  return run;
}

TEST(ArenaScoreOfARun, IsAWeightedSum) {
  const auto run = run_with({4, 2, 3});
  EXPECT_EQ(score_of(run, {0, {{"distance", 2}}}, ArenaModel::joint), 0.5);
  EXPECT_EQ(score_of(run, {100, {{"error", -1}}}, ArenaModel::joint), 95);
  EXPECT_EQ(score_of(run, {0, {{"losses[0]", 1}, {"losses[1]", 10}}}, ArenaModel::joint), 10.25);
  EXPECT_EQ(score_of(run, {0, {{"losses[7]", 1}}}, ArenaModel::joint), std::nullopt);
  EXPECT_EQ(score_of(run, {0, {{"distance", 1}}}, ArenaModel::refit), std::nullopt);
  EXPECT_EQ((ArenaScore{100, {{"test accuracy", -1}}}.text()), "100 - test accuracy");
}

TEST(ArenaScoreOfARun, IsNoneWhereItEndedBadly) {
  auto run = run_with({4, 2, 3});
  run.summary->status = RunStatus::non_finite;
  EXPECT_EQ(score_of(run, {0, {{"error", 1}}}, ArenaModel::joint), std::nullopt);
}

TEST(ArenaScoreOfARun, RefusesAQuantityThatARunDoesNotKnow) {
  auto run = run_with({4, 2, 3});
  EXPECT_NO_THROW(refuse_unknown_quantities(run, {0, {{"error", 1}, {"losses[0]", 1}}}, "p"));
  try {
    refuse_unknown_quantities(run, {0, {{"error", 1}, {"test eror", 1}}}, "p");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("'p'"), HasSubstr("'test eror'"), HasSubstr("error")));
  }
  run.summary->status = RunStatus::non_finite;
  EXPECT_NO_THROW(refuse_unknown_quantities(run, {0, {{"test eror", 1}}}, "p")) << "it may have ended before it knew";
}

TEST(ArenaScoreOfARun, CountsGradientsOfStepsThatWereThinned) {
  auto run = run_with({4, 2, 3});
  EXPECT_EQ(trial_of(run, {}, {}).gradients.lower, 6);
  run.thinned = true;
  run.summary->iterations = 300'000;
  const auto counts = trial_of(run, {}, {}).gradients;
  EXPECT_EQ(counts.lower, 600'000);
  EXPECT_EQ(counts.second_order, 300'000);
}

TEST(ArenaScoreOfARun, ProgressCountsGradientsAndKeepsTheBest) {
  const auto steps = progress_of(run_with({4, 2, 3}), {0, {{"distance", 1}}});
  ASSERT_EQ(steps.size(), 3U);  // z_2 is worse than z_1, but the end
  EXPECT_EQ(steps[1].gradients, 5);
  EXPECT_EQ(steps[1].best, 2);
  EXPECT_EQ(steps[2].gradients, 10);
  EXPECT_EQ(steps[2].best, 2);
  const auto metrics = progress_of(run_with({4, 2, 3}), {0, {{"error", 1}}});
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[1].gradients, 15);
  EXPECT_EQ(metrics[1].best, 5);
}

TEST(ArenaFolder, RecordsComeBackAsTheyWere) {
  const fixtures::TemporaryFolder folder;
  EXPECT_FALSE(read_arena(folder.path()));
  EXPECT_THROW(write_arena_page(folder.path()), Error);
  write_arena(folder.path(), sample());
  EXPECT_EQ(to_json(*read_arena(folder.path())), to_json(sample()));
  EXPECT_EQ(write_arena_page(folder.path()).filename(), "arena.html");
}

TEST(ArenaFolder, BrokenRecordsAreRefused) {
  auto json = to_json(sample());
  json["cells"].erase(0);
  EXPECT_THROW(arena_record(json), Error);
  json = to_json(sample());
  json["cells"][0]["chosen"] = 3;
  EXPECT_THROW(arena_record(json), Error);
}

TEST(ArenaPage, ShowsRanksProfilesAndEveryProblem) {
  const auto page = arena_html(sample());
  for (const auto* part : {"Performance profiles, joint models", "Ranks, joint models (2 problems, 2 seeds)",
                           "p: distance, 40 gradients", "0 of 2"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, Not(HasSubstr("refitted models")));
  EXPECT_THAT(arena_markdown(sample()), HasSubstr("| b | 1.62 | 1.50 to 1.75 | 50 % | 100 % | 100 % | 0 of 2 |"));
}

TEST(ArenaPage, DrawsAnytimeCurvesOnALogAxisOnlyWhereTheySpanDecades) {
  auto arena = sample();  // p: scores from 1 to 4; q: from 0.001 to 6
  const auto anytime = [&] {
    const auto page = arena_html(arena);
    return page.substr(page.find("<h2 id=\"anytime\">"));
  };
  const auto of = [&](const std::string& text, const char* problem) {
    const auto begin = text.find(std::string(problem) + "</");
    return text.substr(begin, text.find("</figure>", begin) - begin);
  };
  EXPECT_THAT(of(anytime(), ">p"), Not(HasSubstr("class=\"power\"")));
  EXPECT_THAT(of(anytime(), ">q"), HasSubstr("class=\"power\""));
  for (auto& trial : arena.cells[3].trials) trial.progress.back().best = 0;  // solved to the last bit
  EXPECT_THAT(of(anytime(), ">q"), HasSubstr("class=\"power\""));
}

TEST(ArenaPage, WithoutAllCellsHasNoRanks) {
  auto arena = sample();
  arena.cells[0].trials.pop_back();
  EXPECT_TRUE(arena_rankings(arena).empty());
  EXPECT_THAT(arena_html(arena), HasSubstr("Cells are missing"));
}

TEST(ArenaPage, NamesStayText) {
  auto arena = sample();
  arena.title = arena.stopped_because = arena.methods[0] = arena.problems[0].name = arena.problems[0].measure =
      "<img src=x onerror=alert(1)>";
  EXPECT_THAT(arena_html(arena), Not(HasSubstr("<img")));
}

}  // namespace
}  // namespace moblo::lab::report::arena_test
