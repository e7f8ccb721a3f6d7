#include "moblo/methods/forum_single.hpp"

#include <gtest/gtest.h>

#include "lab/problems/noisy_regression.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "tests/moblo/methods/recorded.hpp"

namespace moblo::methods::forum_single_test {
namespace {

TEST(ForumSingle, RecentredInEveryIterationItIsForumWithOneLowerStep) {
  lab::problems::NoisyRegression one({.samples = 40, .batch = 10}, 1), other({.samples = 40, .batch = 10}, 1);
  const auto steps = plain_steps(10, 0.1, 0.1);
  const auto single = recorded(one, "forum_single", {{"recentre_every", 1}, {"inner_step_size", 0.2}}, steps),
             forum = recorded(other, "forum", {{"inner_steps", 1}, {"inner_step_size", 0.2}}, steps);
  EXPECT_EQ(single.records, forum.records);
  EXPECT_TRUE(torch::equal(one.lower().values(), other.lower().values()));
}

TEST(ForumSingle, ItsStateTendsToTheLowerSolutionWhereAlphaStandsStill) {
  conformance::Quadratic problem({.n = 3, .p = 4, .m = 2, .condition = 3}, 4);
  const auto run = recorded(problem, "forum_single", {{"recentre_every", 0}, {"inner_step_size", 0.9}},
                            plain_steps(120, 1e-14, 1e-14));
  EXPECT_LT(run.records.front().q, 0.9 * run.records.front().lower_loss);
  EXPECT_NEAR(run.records.back().q, run.records.back().lower_loss, 1e-9);  // the least value of f is 0
}

TEST(ForumSingle, AfterARecentringTheStateIsOmegasLowerStep) {
  conformance::Quadratic problem({.n = 3, .p = 4, .m = 2, .condition = 3}, 4);
  const auto run = recorded(problem, "forum_single", {{"recentre_every", 5}, {"inner_step_size", 0.9}},
                            plain_steps(6, 1e-14, 1e-14));
  EXPECT_NEAR(run.records[5].q, run.records[0].q, 1e-9);
  EXPECT_GT(run.records[4].q, run.records[0].q);
}

TEST(ForumSingle, TakesTwoLowerGradientsAnIteration) {
  conformance::Quadratic problem({.m = 3}, 1);
  const auto run = recorded(problem, "forum_single", Json::object(), plain_steps(2, 0.01, 0.1));
  EXPECT_EQ(run.records[1].gradients, (GradientCounts{.lower = 2, .upper = 3, .second_order = 0}));
}

}  // namespace
}  // namespace moblo::methods::forum_single_test
