#include <gtest/gtest.h>

#include "tests/system/runs.hpp"

namespace moblo::system_test {
namespace {

std::vector<std::string> sets_of(const std::string& method, int iterations) {
  const auto own = [&](const std::string& option) { return method + "." + option; };
  std::vector<std::string> sets{"method=" + method, "iterations=" + std::to_string(iterations), own("inner_steps=60"),
                                own("inner_step_size=0.05"), "checkpoint_every=2"};
  sets.push_back(own(method == "nsga2" ? "population=8" : "startup=5"));
  return sets;
}

class SearchRun : public ::testing::TestWithParam<std::string> {};

TEST_P(SearchRun, ThatGoesOnEqualsTheUninterruptedOne) {
  const TemporaryFolder folder;
  expect_done(run_program({synthetic_run(folder / "long", sets_of(GetParam(), 8))}));
  expect_done(run_program({synthetic_run(folder / "run", sets_of(GetParam(), 3))}));
  expect_done(run_program({resumption(folder / "run", {"iterations=8"})}));
  expect_same_run(folder / "run", folder / "long");
}

TEST_P(SearchRun, FindsASolutionOfTheSyntheticProblem) {
  const TemporaryFolder folder;
  auto sets = sets_of(GetParam(), 25);
  sets.push_back(GetParam() + ".inner_steps=200");
  expect_done(run_program({synthetic_run(folder / "run", sets)}));
  const auto summary = read_json(folder / "run" / "summary.json");
  const auto& end = summary["final"];
  EXPECT_LT(end["distance"].get<double>(), 0.05);
  EXPECT_NEAR(end["alpha"][0].get<double>(), 1.5, 0.3) << "the mean of both objectives is smallest at 1.5";
}

TEST_P(SearchRun, DrawsAsItsSeedSays) {
  const TemporaryFolder folder;
  for (const auto* seed : {"0", "1"}) {
    auto arguments = synthetic_run(folder / seed, sets_of(GetParam(), 2));
    arguments.insert(arguments.end(), {"--seed", seed});
    expect_done(run_program({arguments}));
  }
  EXPECT_NE(read_file(folder / "0" / "steps.jsonl"), read_file(folder / "1" / "steps.jsonl"));
  EXPECT_EQ(read_json(folder / "1" / "manifest.json")["config"][GetParam()]["seed"], 1);
}

std::vector<std::string> search_methods() {
#ifdef MOBLO_NO_SEARCH
  return {"tpe"};
#else
  return {"nsga2", "tpe"};
#endif
}

INSTANTIATE_TEST_SUITE_P(Of, SearchRun, ::testing::ValuesIn(search_methods()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace moblo::system_test
