#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <set>

#include "lab/report/experiment_record.hpp"
#include "moblo/records/folder_lock.hpp"
#include "tests/system/runs.hpp"

namespace moblo::system_test {
namespace {

const char* const toy = R"(
title = "Toy"
cost = "a second"
problem = "synthetic"
method = "forum"
seeds = [0, 1]
iterations = 1500
checkpoint_every = 50
forum = { inner_steps = 5, inner_step_size = 0.05 }
optimiser = { alpha = { step_size = 0.05 }, omega = { step_size = 0.05 } }
quick = { iterations = 20 }

[[case]]
name = "A"

[[case]]
name = "B"
forum = { rho = 0.3 }

[[table]]
title = "Losses"
column = [{ title = "F1", quantity = "losses[0]" }]
row = [{ case = "A", paper = [[0.5, 0.1]] }, { case = "B" }]

[[expect]]
quantity = "q"
case = "A"
at_most = 1
)";

std::string state_of(pid_t process) {
  const auto text = read_file(fs::path("/proc") / std::to_string(process) / "stat");
  const auto end = text.rfind(')');
  return end == std::string::npos ? "" : text.substr(end + 2);
}

/// Processes that this one started, and that have not ended.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto state = state_of(std::stoi(name));
    if (state.empty() || state[0] == 'Z') continue;
    if (std::stoi(state.substr(2)) == parent) found.push_back(std::stoi(name));
  }
  return found;
}

bool is_alive(pid_t process) {
  const auto state = state_of(process);
  return !state.empty() && state[0] != 'Z';
}

class Cells : public ::testing::Test {
 protected:
  Cells() {
    fs::create_directories(folder_ / "experiments");
    write_file(folder_ / "experiments" / "toy.toml", toy);
  }

  Invocation reproduce(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"reproduce", "toy", "--out", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return {arguments, folder_.path()};
  }

  fs::path cell(const std::string& name) const { return folder_ / "out" / name; }
  bool has_begun(const std::string& name) const { return !checkpoints(cell(name)).empty(); }

  TemporaryFolder folder_;
};

const std::vector<std::string> all_cells{"a-seed-0", "a-seed-1", "b-seed-0", "b-seed-1"};

TEST_F(Cells, AreCasesTimesSeedsAndEndInATable) {
  const auto result = run_program(reproduce({"--quick", "--jobs", "2"}));
  expect_done(result);
  for (const auto& name : all_cells) EXPECT_TRUE(fs::exists(cell(name) / "summary.json")) << name;
  EXPECT_NE(result.err.find("(4 of 4 cells)"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("0.50 ± 0.10"), std::string::npos) << result.out;
  EXPECT_EQ(read_json(folder_ / "out" / "results.json")["tables"][0]["rows"][0]["cells"][0]["values"].size(), 2U);
  EXPECT_EQ(read_json(cell("a-seed-0") / "manifest.json")["config"]["threads"], 1);
  EXPECT_EQ(lab::report::read_experiment(folder_ / "out")->cases[3].group, "B");
}

TEST_F(Cells, AreTheSameHoweverManyRunAtATime) {
  expect_done(run_program(reproduce({"--quick", "--quiet", "--jobs", "1"})));
  fs::rename(folder_ / "out", folder_ / "one");
  expect_done(run_program(reproduce({"--quick", "--quiet", "--jobs", "3"})));
  for (const auto& name : all_cells) expect_same_run(cell(name), folder_ / "one" / name);
}

TEST_F(Cells, MoreSeedsJoinWhatIsDone) {
  expect_done(run_program(reproduce({"--quick", "--seeds", "0"})));
  const auto before = contents(cell("a-seed-0"));
  const auto result = run_program(reproduce({"--quick", "--seeds", "0..2"}));
  expect_done(result);
  EXPECT_TRUE(contents(cell("a-seed-0")) == before);
  EXPECT_EQ(lines_that_start(result.err, "A seed 0: done before").size(), 1U) << result.err;
  EXPECT_TRUE(fs::exists(cell("b-seed-2")));
}

TEST_F(Cells, OneThatDiesLeavesTheOthersAloneAndGoesOnLater) {
  Child child(reproduce({"--quiet", "--jobs", "2"}));
  ASSERT_TRUE(wait_until([&] { return has_begun("a-seed-0") && has_begun("a-seed-1"); }));
  const auto engines = children_of(child.id());
  ASSERT_EQ(engines.size(), 2U);
  kill(std::min(engines[0], engines[1]), SIGKILL);
  const auto result = child.wait();
  EXPECT_EQ(result.exit_code, 1);
  expect_told(result.err, {"moblo: ", "was ended by signal 9", "goes on from its last checkpoint"});
  EXPECT_TRUE(fs::exists(cell("b-seed-0") / "summary.json") && fs::exists(cell("b-seed-1") / "summary.json"));
  expect_done(run_program(reproduce({"--quiet"})));

  const TemporaryFolder reference;
  fs::copy(folder_ / "experiments", reference / "experiments", fs::copy_options::recursive);
  expect_done(run_program({{"reproduce", "toy", "--quiet", "--out", "out"}, reference.path()}));
  for (const auto& name : all_cells) expect_same_run(cell(name), reference / "out" / name);
}

TEST_F(Cells, DieWithTheProgramThatStartedThem) {
  Child child(reproduce({"--quiet", "--jobs", "2"}));
  ASSERT_TRUE(wait_until([&] { return has_begun("a-seed-0") && has_begun("a-seed-1"); }));
  const auto engines = children_of(child.id());
  ASSERT_EQ(engines.size(), 2U);
  child.send(SIGKILL);
  child.wait();
  for (const auto engine : engines) EXPECT_TRUE(wait_until([&] { return !is_alive(engine); })) << engine;
}

TEST_F(Cells, AreAllSavedByOneInterrupt) {
  Child child(reproduce({"--quiet", "--jobs", "2", "--set", "iterations=1000000"}));  // never done before the interrupt
  ASSERT_TRUE(wait_until([&] { return has_begun("a-seed-0") && has_begun("a-seed-1"); }));
  child.send(SIGINT);
  const auto result = child.wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  for (const auto* name : {"a-seed-0", "a-seed-1"}) {
    EXPECT_EQ(read_json(cell(name) / "summary.json").value("status", ""), "interrupted") << name;
  }
  EXPECT_FALSE(fs::exists(cell("b-seed-1"))) << "no further cell is started";
}

TEST_F(Cells, AreNotWorkedOnTwiceAtATime) {
  Child child(reproduce({"--quiet", "--jobs", "1"}));
  ASSERT_TRUE(wait_until([&] { return has_begun("a-seed-0"); }));
  expect_refusal(run_program(reproduce({"--quiet"})), 2, {"out", "is being written by process"});
  child.send(SIGINT);
  child.wait();
}

TEST_F(Cells, ThatSomebodyElseWritesAreNotRemovedByFresh) {
  expect_done(run_program(reproduce({"--quick", "--quiet", "--seeds", "0"})));
  const auto before = contents(cell("a-seed-0"));
  {
    const records::FolderLock other(cell("a-seed-0"));
    const auto result = run_program(reproduce({"--quick", "--quiet", "--seeds", "0", "--fresh"}));
    EXPECT_EQ(result.exit_code, 1) << result.err;
    expect_told(result.err, {"a-seed-0", "is being written by process"});
  }
  EXPECT_TRUE(contents(cell("a-seed-0")) == before);
  expect_done(run_program(reproduce({"--quick", "--quiet", "--seeds", "0", "--fresh"})));
}

TEST_F(Cells, SettingsOfTheCommandWinOverQuick) {
  expect_done(run_program(reproduce({"--quick", "--quiet", "--set", "iterations=7", "--seeds", "0"})));
  EXPECT_EQ(read_json(cell("a-seed-0") / "summary.json")["iterations"], 7);
}

TEST_F(Cells, OfOneMethodAreTheCasesThatNameItOrTakeItFromTheFile) {
  write_file(folder_ / "experiments" / "toy.toml", std::string(toy) + "[[case]]\nname = \"C\"\nmethod = \"moml\"\n");
  expect_done(run_program(reproduce({"--quick", "--quiet", "--seeds", "0", "--set", "method=forum"})));
  EXPECT_TRUE(fs::exists(cell("a-seed-0")) && fs::exists(cell("b-seed-0")) && !fs::exists(cell("c-seed-0")));
  fs::remove_all(folder_ / "out");
  expect_done(run_program(reproduce({"--quick", "--quiet", "--seeds", "0", "--set", "method=moml"})));
  EXPECT_TRUE(!fs::exists(cell("a-seed-0")) && !fs::exists(cell("b-seed-0")) && fs::exists(cell("c-seed-0")));
}

TEST_F(Cells, OfATableThatNamesAnUnknownCaseAreRefused) {
  std::string text = toy;
  text.replace(text.find("{ case = \"B\" }"), 14, "{ case = \"D\" }");
  write_file(folder_ / "experiments" / "toy.toml", text);
  expect_refusal(run_program(reproduce({"--quiet"})), 2, {"case \"D\"", "does not exist"});
}

TEST_F(Cells, OfSeedsThatAreNoneAreRefused) {
  for (const auto* seeds : {"[0, 0]", "[0.5]", "[-1]", "\"0..2\""}) {
    std::string text = toy;
    text.replace(text.find("[0, 1]"), 6, seeds);
    write_file(folder_ / "experiments" / "toy.toml", text);
    expect_refusal(run_program(reproduce({"--quiet"})), 2, {"toy.toml", "seeds"});
  }
}

TEST_F(Cells, HaveARowEachInATableThatNamesNone) {
  write_file(folder_ / "experiments" / "toy.toml",
             "title = \"t\"\nproblem = \"synthetic\"\nmethod = \"forum\"\niterations = 5\nseeds = [0, 1]\n"
             "[[table]]\ntitle = \"Losses\"\ncolumn = [{ title = \"F1\", quantity = \"losses[0]\" }]\n");
  expect_done(run_program(reproduce({"--quiet"})));
  const auto rows = read_json(folder_ / "out" / "results.json")["tables"][0]["rows"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["case"], "synthetic forum");
}

}  // namespace
}  // namespace moblo::system_test
