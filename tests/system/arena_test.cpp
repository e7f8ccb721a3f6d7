#include <gmock/gmock.h>

#include <memory>

#include "tests/system/runs.hpp"

namespace moblo::system_test {
namespace {

using testing::HasSubstr;

const char* const small_arena = R"(title = "A small arena"
methods = ["forum", "moml"]
candidates = 2
seeds = [1]

[quick]
candidates = 1

[[problem]]
name = "one"
problem = "front_quadratic"
budget = 400
refit_steps = 20
lower = [0.1, 1]
score = { distance = 1 }
refit = { "distance to the front" = 1 }
common = { inner_steps = 5 }
)";

/// One whole arena that the tests look at.
class ArenaVerb : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    whole_ = std::make_unique<TemporaryFolder>();
    write_file(*whole_ / "small.toml", small_arena);
    result_ = run_program({{"arena", "small.toml", "--quiet", "--out", "out"}, whole_->path()});
  }
  static void TearDownTestSuite() { whole_.reset(); }
  static fs::path out() { return *whole_ / "out"; }

  /// The small arena with another text in place of one of its lines.
  Result refused(const std::string& line, const std::string& other) const {
    std::string text = small_arena;
    text.replace(text.find(line), line.size(), other);
    write_file(folder_ / "other.toml", text);
    return run_program({{"arena", "other.toml", "--quiet", "--out", "bad"}, folder_.path()});
  }

  static std::unique_ptr<TemporaryFolder> whole_;
  static Result result_;
  TemporaryFolder folder_;
};

std::unique_ptr<TemporaryFolder> ArenaVerb::whole_;
Result ArenaVerb::result_;

TEST_F(ArenaVerb, JudgesTheChosenStepSizesOnOtherSeeds) {
  ASSERT_EQ(result_.exit_code, 0) << result_.err;
  EXPECT_THAT(result_.out, HasSubstr("Ranks, joint models (1 problems, 1 seeds)"));
  EXPECT_TRUE(fs::exists(out() / "arena.html"));
  const auto arena = read_json(out() / "arena.json");
  ASSERT_EQ(arena["cells"].size(), 2U);
  for (const auto& cell : arena["cells"]) {
    ASSERT_EQ(cell["candidates"].size(), 2U);
    const auto chosen = cell["chosen"].get<std::size_t>();
    const auto choice = [&](std::size_t i) { return cell["candidates"][i]["choice"].get<double>(); };
    EXPECT_LE(choice(chosen), choice(1 - chosen));
    ASSERT_EQ(cell["trials"].size(), 1U);
    const auto& trial = cell["trials"][0];
    EXPECT_THAT(trial["run"].get<std::string>(), HasSubstr("steps-" + std::to_string(chosen) + "-seed-1"));
    EXPECT_TRUE(trial["joint"].is_number() && trial["refit"].is_number());
    const auto& counts = trial["gradients"];
    const auto spent = counts["lower"].get<int>() + counts["upper"].get<int>() + 2 * counts["second_order"].get<int>();
    EXPECT_GE(spent, 400);
    EXPECT_LT(spent - spent / trial["iterations"].get<int>(), 400) << "it went on after the budget was used up";
  }
  EXPECT_EQ(arena["cells"][0]["trials"][0]["gradients"]["second_order"], 0);
  EXPECT_GT(arena["cells"][1]["trials"][0]["gradients"]["second_order"], 0);
}

TEST_F(ArenaVerb, GoesOnToTheSameRecord) {
  const auto before = read_json(out() / "arena.json");
  const auto lost = before["cells"][1]["candidates"][0]["run"].get<std::string>();
  fs::remove_all(out() / lost);
  fs::remove(out() / "arena.json");
  const auto again = run_program({{"arena", "--resume", "out", "--quiet", "--json"}, whole_->path()});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(read_json(out() / "arena.json")["cells"], before["cells"]);
  const auto other = run_program({{"arena", "small.toml", "--quick", "--quiet", "--out", "out"}, whole_->path()});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("other options"));
}

TEST_F(ArenaVerb, ItsFolderBelongsToNothingElse) {
  const auto expect = [&](std::vector<std::string> command) {
    command.insert(command.end(), {"--quiet", "--out", out().string()});
    expect_refusal(run_program({command}), 2, {"holds an arena of several runs"});
  };
  expect({"run", synthetic_file});
  expect({"run", synthetic_file, "--seeds", "0..1"});
  expect({"reproduce", "figure-3", "--quick"});
  expect({"front", MOBLO_SOURCE_DIR "/experiments/front_quadratic.toml"});
  const auto record = (out() / "arena.json").string();
  const auto run = (out() / "cells/one/forum/steps-0-seed-0").string();
  expect_refusal(run_program({{"report", run, "--markdown", "--out", record}}), 2, {"arena.json"});
}

TEST_F(ArenaVerb, IsVerifiedWithItsPlanAndItsRecord) {
  TemporaryFolder copy;
  fs::copy(out(), copy / "out", fs::copy_options::recursive);
  const auto checked = run_program({{"verify", "out", "--json"}, copy.path()});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("\"arena_plan.json\""));
  auto text = read_file(copy / "out/arena.json");
  text.replace(text.find("forum"), 5, "foram");
  write_file(copy / "out/arena.json", text);
  const auto damaged = run_program({{"verify", "out"}, copy.path()});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.out, HasSubstr("arena.json"));
}

TEST_F(ArenaVerb, RefusesAScoreThatNoRunKnowsAfterTheFirstRun) {
  const auto result = refused("score = { distance = 1 }", "score = { distance = 1, \"test loss\" = 1 }");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("'test loss', which its runs do not tell"));
  const auto cells = fs::directory_iterator(folder_ / "bad" / "cells" / "one");
  EXPECT_EQ(std::distance(begin(cells), end(cells)), 1);
}

TEST_F(ArenaVerb, RefusesWhatWouldMeanNothing) {
  const auto expect = [&](const std::string& line, const std::string& other, const std::string& says) {
    const auto result = refused(line, other);
    EXPECT_EQ(result.exit_code, 2) << other;
    EXPECT_THAT(result.err, HasSubstr(says));
    EXPECT_FALSE(fs::exists(folder_ / "bad"));
  };
  expect("seeds = [1]", "seeds = [0, 1]", "on which the step sizes are chosen");
  expect("score = { distance = 1 }", "", "score");
  expect("lower = [0.1, 1]", "lower = [1, 0.1]", "a lower and an upper bound");
  expect("name = \"one\"", "name = \"../one\"", "cannot name a folder");
  expect("\"moml\"]", "\"momi\"]", "moml");
  expect("budget = 400", "bugdet = 400", "budget");
}

}  // namespace
}  // namespace moblo::system_test
