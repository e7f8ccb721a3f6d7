#include <gtest/gtest.h>

#include <csignal>
#include <memory>

#include "tests/system/runs.hpp"

namespace moblo::system_test {
namespace {

const char* const small_front = R"(title = "A small front"
cost = "a second"
problem = "quadratic"
method = "forum"
iterations = 400
checkpoint_every = 20
quadratic = { n = 2, p = 2, m = 2 }
forum = { inner_steps = 5, inner_step_size = 0.5 }
optimiser = { alpha = { step_size = 0.05 }, omega = { step_size = 0.05 } }

[front]
points = 4
roots = 2
warm_iterations = 0.5
)";

/// One whole front that the tests look at, and compare others with.
class FrontVerb : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    whole_ = std::make_unique<TemporaryFolder>();
    write_file(*whole_ / "small.toml", small_front);
    result_ = run_program({{"front", "small.toml", "--quiet", "--json", "--out", "out"}, whole_->path()});
  }
  static void TearDownTestSuite() { whole_.reset(); }

  FrontVerb() { write_file(folder_ / "small.toml", small_front); }
  Result front(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "front");
    return run_program({arguments, folder_.path()});
  }
  /// With a line more in the file.
  Result front_with(const std::string& line, const std::string& in_place_of = "") const {
    std::string text = small_front;
    in_place_of.empty() ? text.append(line + "\n") : text.replace(text.find(in_place_of), in_place_of.size(), line);
    write_file(folder_ / "other.toml", text);
    return front({"other.toml", "--quiet", "--out", "bad"});
  }
  static fs::path out() { return *whole_ / "out"; }

  static std::unique_ptr<TemporaryFolder> whole_;
  static Result result_;
  TemporaryFolder folder_;
};

std::unique_ptr<TemporaryFolder> FrontVerb::whole_;
Result FrontVerb::result_;

Json front_of(const fs::path& folder) {
  return read_json(folder / "front.json");
}

TEST_F(FrontVerb, WritesPointsRunsAndTheirVerdict) {
  expect_done(result_);
  const auto front = Json::parse(result_.out);
  auto written = front_of(out());
  written.erase("checksum");
  EXPECT_EQ(front, written) << "--json prints front.json";
  EXPECT_EQ(front["format"], "moblo front");
  EXPECT_EQ(front["problem"], "quadratic");
  ASSERT_EQ(front["points"].size(), 4U);
  EXPECT_EQ(front["stopped_because"], "all points done");
  EXPECT_GT(front["hypervolume"].get<double>(), 0);
  EXPECT_EQ(front["hypervolume_history"].size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& point = front["points"][i];
    const auto run = out() / point["run"].get<std::string>();
    const auto manifest = read_json(run / "manifest.json");
    EXPECT_EQ(manifest["config"]["forum"]["preference"], point["preference"]);
    EXPECT_EQ(read_json(run / "summary.json")["iterations"], i < 2 ? 400 : 200);
    EXPECT_EQ(point["warm_start_from"].is_null(), i < 2);
    EXPECT_EQ(manifest.contains("warm_start"), i >= 2);
    EXPECT_TRUE(fs::exists(out() / point["model"].get<std::string>()));
    EXPECT_EQ(point["losses"].size(), 2U);
    EXPECT_EQ(point["refit_losses"].size(), 2U);
  }
  // A preference for an objective makes it small.
  const auto first = front["extremes"][0].get<std::size_t>(), second = front["extremes"][1].get<std::size_t>();
  EXPECT_GT(front["points"][first]["preference"][0], 0.5);
  EXPECT_GT(front["points"][second]["preference"][1], 0.5);
  const auto csv = read_file(out() / "front.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
}

TEST_F(FrontVerb, IsVerifiedAndReported) {
  const auto checked = run_program({{"verify", out().string(), "--json"}});
  expect_done(checked);
  EXPECT_NE(checked.out.find("front_plan.json"), std::string::npos);
  EXPECT_NE(checked.out.find("points/003"), std::string::npos);
  expect_done(run_program({{"report", out().string()}}));
}

TEST_F(FrontVerb, ThatIsDoneIsToldAgainAndNotRunAgain) {
  const auto points = contents(out() / "points");
  const auto again = run_program({{"front", "small.toml", "--out", "out"}, whole_->path()});
  expect_done(again);
  EXPECT_TRUE(contents(out() / "points") == points);
  EXPECT_EQ(lines_that_start(again.err, "point 3").size(), 1U) << again.err;
  expect_told(again.err, {"done before"});
  expect_told(again.out, {"best F1", "best F2", "hypervolume", "front.html"});
}

TEST_F(FrontVerb, KilledOrInterruptedGoesOnToTheSameBits) {
  const auto has_begun = [&](const char* point) { return !checkpoints(folder_ / "out" / "points" / point).empty(); };
  {
    Child child({{"front", "small.toml", "--quiet", "--jobs", "1", "--out", "out"}, folder_.path()});
    ASSERT_TRUE(wait_until([&] { return has_begun("000"); }));
    child.send(SIGKILL);
    child.wait();
  }
  {
    Child child({{"front", "--resume", "out", "--quiet"}, folder_.path()});
    const bool in_time = wait_until([&] { return has_begun("002") || child.ended(); });
    ASSERT_TRUE(in_time);
    child.send(SIGINT);
    const auto stopped = child.wait();
    if (stopped.exit_code != 0) {  // else it was done before the interrupt came
      EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
      expect_told(stopped.err, {"interrupted", "moblo front --resume out"});
      EXPECT_EQ(front_of(folder_ / "out")["stopped_because"], "interrupted");
    }
  }
  expect_done(front({"--resume", "out", "--quiet"}));
  for (const auto* point : {"000", "001", "002", "003"}) {
    expect_same_run(folder_ / "out" / "points" / point, out() / "points" / point);
  }
  EXPECT_EQ(front_of(folder_ / "out"), front_of(out()));
}

TEST_F(FrontVerb, OfAFileThatSaysItWrongIsRefusedWithItsLine) {
  expect_refusal(front_with("point = 3"), 2, {"other.toml:15: front.point", "Did you mean 'points'?"});
  expect_refusal(front_with("points = 0", "points = 4"), 2, {"other.toml:12", "front.points", "0"});
  expect_refusal(front_with("slack = [0.1]"), 2, {"other.toml:15", "front.slack", "order is empty"});
  expect_refusal(front_with("order = [\"F7\"]"), 2, {"F7", "is not an objective of this problem", "F1, F2"});
  expect_refusal(front_with("method = \"bome\"", "method = \"forum\""), 2,
                 {"other.toml:4", "bome", "has no option `preference`", "forum"});
  EXPECT_FALSE(fs::exists(folder_ / "bad")) << "a front that was refused leaves nothing behind";
}

TEST_F(FrontVerb, OfSeveralRunsOrInAFolderOfOthersIsRefused) {
  expect_refusal(front_with("[[case]]\nname = \"A\"\n[[case]]\nname = \"B\""), 2, {"other.toml:", "describes 2 runs"});
  expect_refusal(front({"small.toml", "--points", "5", "--out", out().string()}), 2,
                 {"holds a front with other options", "moblo front --resume"});
  expect_refusal(front({"--resume", "nowhere"}), 2, {"nowhere", "holds no front"});
  expect_refusal(front({}), 2, {"moblo front", "needs an experiment file"});
  expect_refusal(run_program({{"run", synthetic_file, "--quiet", "--out", out().string()}}), 2,
                 {"holds a front of several runs"});
  expect_refusal(run_program({{"reproduce", "figure-3", "--quick", "--quiet", "--out", out().string()}}), 2,
                 {"holds a front of several runs"});
  expect_refusal(run_program({{"run", synthetic_file, "--seeds", "0..1", "--quiet", "--out", out().string()}}), 2,
                 {"holds a front of several runs"});
  expect_refusal(front({"small.toml", "--out", (out() / "points" / "000").string()}), 2, {"holds a run already"});
}

}  // namespace
}  // namespace moblo::system_test
