#include <gtest/gtest.h>

#include <memory>

#include "moblo/records/tensor_file.hpp"
#include "tests/cli/clean_table.hpp"
#include "tests/system/folders.hpp"
#include "tests/system/refusal.hpp"

namespace moblo::system_test {
namespace {

std::vector<std::string> command(const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"clean", "--noisy", "t.csv", "--quick", "--quiet", "--out", "out"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Results of jobs, without what was asked and what is being written.
std::vector<fs::path> kept_jobs(const fs::path& out) {
  std::vector<fs::path> jobs;
  std::error_code ignored;
  for (fs::directory_iterator entry(out / "clean_state", ignored), end; entry != end; entry.increment(ignored)) {
    const auto& file = entry->path();
    if (file.extension() == ".safetensors" && file.stem() != "asked") jobs.push_back(file);
  }
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

const char* const request_file = "clean_state/asked.safetensors";

/// A `clean` that was stopped: each test works on a copy of one that was killed when five of its ten jobs were done,
/// and compares with one that nobody stopped.
class UnfinishedClean : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    originals = std::make_unique<TemporaryFolder>();
    write_file(*originals / "t.csv", made_table(260, 60, true));
    auto whole = command();
    whole.back() = "whole";
    const auto result = run_program({whole, originals->path()});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    Child child({command({"--threads", "1"}), originals->path()});
    ASSERT_TRUE(wait_until([&] { return kept_jobs(*originals / "out").size() >= 5 || child.ended(); }));
    child.send(SIGKILL);
    ASSERT_EQ(child.wait().signal, SIGKILL);
    ASSERT_GE(kept_jobs(*originals / "out").size(), 5U);
  }
  static void TearDownTestSuite() { originals.reset(); }

  void SetUp() override {
    fs::copy(originals->path(), folder_.path(), fs::copy_options::recursive);
    ASSERT_TRUE(fs::remove(out_ / ".lock")) << "of the process that was killed";
  }

  Result run(const std::vector<std::string>& arguments) const { return run_program({arguments, folder_.path()}); }

  void expect_refused_untouched(const std::vector<std::string>& arguments, const std::vector<std::string>& told) const {
    const auto before = contents(folder_.path());
    expect_refusal(run(arguments), 2, told);
    EXPECT_TRUE(contents(folder_.path()) == before) << "something was changed";
  }

  /// Every output has the bytes of the one that nobody stopped, and nothing else is left.
  void expect_whole() const { EXPECT_TRUE(contents(out_) == contents(*originals / "whole")); }

  static std::unique_ptr<TemporaryFolder> originals;
  TemporaryFolder folder_;
  fs::path out_ = folder_ / "out";
};

std::unique_ptr<TemporaryFolder> UnfinishedClean::originals;

void flip_a_byte_in(const fs::path& file) {
  auto bytes = read_file(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  write_file(file, bytes);
}

TEST_F(UnfinishedClean, GoesOnWhenTheCommandIsRepeatedAndSaysSo) {
  auto loud = command();
  loud.erase(std::find(loud.begin(), loud.end(), "--quiet"));
  const auto jobs = kept_jobs(out_).size();
  const auto result = run(loud);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_told(result.err, {"Going on in out, where " + std::to_string(jobs) + " jobs are done"});
  expect_whole();
}

TEST_F(UnfinishedClean, KnowsItsArgumentsAndDataWhenResumedFromElsewhere) {
  fs::create_directory(folder_ / "elsewhere");
  fs::rename(folder_ / "out", folder_ / "elsewhere/moved");
  const auto result = run_program({{"clean", "--resume", "moved", "--quiet", "--threads", "2"}, folder_ / "elsewhere"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contents(folder_ / "elsewhere/moved") == contents(*originals / "whole"));
}

/// Killed again and again, at whatever it does when so many results are there; the first time, right after it began.
TEST_F(UnfinishedClean, SurvivesBeingKilledAtAnyMoment) {
  fs::remove_all(out_);
  for (const std::size_t jobs : {0, 1, 2, 4, 7, 9, 10}) {
    Child child({command(), folder_.path()});
    ASSERT_TRUE(wait_until(
        [&] { return child.ended() || (fs::exists(out_ / request_file) && kept_jobs(out_).size() >= jobs); }));
    child.send(SIGKILL);
    child.wait();
  }
  const auto result = run({"clean", "--resume", "out", "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_whole();
}

TEST_F(UnfinishedClean, SavesAndTellsHowToGoOnWhenInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto before = kept_jobs(out_).size();
    Child child({command({"--json"}), folder_.path()});
    ASSERT_TRUE(wait_until([&] { return child.ended() || kept_jobs(out_).size() > before; }));
    child.send(signal);
    const auto result = child.wait();
    EXPECT_EQ(result.exit_code, 130) << result.err;
    EXPECT_EQ(result.err, "moblo: interrupted; what is done is kept. To go on: moblo clean --resume out\n");
    EXPECT_EQ(Json::parse(result.out, nullptr, false).value("status", ""), "interrupted");
    EXPECT_FALSE(fs::exists(out_ / ".lock"));
  }
  EXPECT_EQ(run(command()).exit_code, 0);
  expect_whole();
}

TEST_F(UnfinishedClean, DoesTheJobsOfDamagedFilesAgain) {
  const auto jobs = kept_jobs(out_);
  flip_a_byte_in(jobs[0]);
  fs::resize_file(jobs[1], 100);
  write_file(jobs[2], "");
  fs::copy_file(jobs[4], jobs[3], fs::copy_options::overwrite_existing);  // whole, but another job's
  write_file(out_ / "clean_state/judged_0_round_1_fold_1.safetensors.77.tmp", "half");
  const auto result = run(command());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto warnings = lines_that_start(result.err, "moblo: warning: ");
  ASSERT_EQ(warnings.size(), 4U) << result.err;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NE(result.err.find(jobs[i].filename().string()), std::string::npos) << result.err;
    expect_told(warnings[i], {"Its job is done again"});
  }
  expect_whole();
}

TEST_F(UnfinishedClean, IsNotMixedWithOtherArguments) {
  expect_refused_untouched(command({"--seed", "1"}), {"out", "with --seed 0", "has --seed 1", "--resume out"});
  expect_refused_untouched(command({"--inject", "0.25"}), {"with no --inject", "has --inject 0.25"});
  write_file(folder_ / "other.csv", read_file(folder_ / "t.csv"));
  auto other = command();
  other[2] = "other.csv";
  expect_refused_untouched(other, {"with --noisy t.csv", "has --noisy other.csv", "another --out"});
  expect_refused_untouched({"clean", "--resume", "out", "--seed", "1"}, {"--resume", "--seed"});
}

TEST_F(UnfinishedClean, IsNotMixedWithOtherData) {
  auto table = read_file(folder_ / "t.csv");
  table.replace(table.find(",above"), 6, ",below");
  write_file(folder_ / "t.csv", table);
  expect_refused_untouched(command(), {"out", "has changed", "another --out"});
}

TEST_F(UnfinishedClean, ThatDoesNotKnowWhatWasAskedIsRefused) {
  flip_a_byte_in(out_ / request_file);
  expect_refused_untouched(command(), {"asked.safetensors", "what was asked", "clean_state to start over"});
  expect_refused_untouched({"clean", "--resume", "out"}, {"asked.safetensors", "what was asked"});
}

/// Outputs are written after hours; here one cannot be, after some others were.
TEST_F(UnfinishedClean, WritesTheOutputsThatAreMissing) {
  fs::create_directory(out_ / "report.html");
  expect_failure(run(command()), 1, {"report.html"});
  EXPECT_TRUE(fs::exists(out_ / "samples.csv"));
  EXPECT_FALSE(fs::exists(out_ / "clean.json"));
  ASSERT_EQ(kept_jobs(out_).size(), 10U);
  fs::remove(out_ / "report.html");
  write_file(out_ / "model.safetensors.99999.tmp", "half");
  write_file(out_ / "flagged.csv", "an old half");
  const auto copy = folder_ / "copy";
  fs::copy(out_, copy, fs::copy_options::recursive);
  EXPECT_EQ(run(command()).exit_code, 0);
  expect_whole();

  // Killed after the last output and before the rest was removed.
  fs::copy(copy / "clean_state", out_ / "clean_state", fs::copy_options::recursive);
  expect_refused_untouched(command({"--seed", "1"}), {"out", "--seed 1"});
  fs::remove(kept_jobs(out_).front());
  const auto result = run(command({"--json"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_told(result.err, {"out is finished already"});
  EXPECT_EQ(Json::parse(result.out, nullptr, false).value("status", ""), "completed");
  expect_whole();
}

/// The networks are larger than what may be written, everything before them is not.
TEST_F(UnfinishedClean, GoesOnAfterTheDiskWasFull) {
  for (const auto& file : kept_jobs(out_)) {
    if (fs::file_size(file) > 100000) fs::remove(file);
  }
  const auto before = kept_jobs(out_).size();
  ASSERT_GT(before, 0U);
  const Invocation full{.arguments = command(), .folder = folder_.path(), .largest_file = 100000};
  expect_failure(run_program(full), 1, {"clean_state", "cannot be written"});
  EXPECT_GE(kept_jobs(out_).size(), before);
  EXPECT_EQ(run(command()).exit_code, 0);
  expect_whole();
}

TEST_F(UnfinishedClean, IsHeldByOneProcess) {
  const auto before = kept_jobs(out_).size();
  Child first({command(), folder_.path()});
  ASSERT_TRUE(wait_until([&] { return first.ended() || kept_jobs(out_).size() > before; }));
  first.send(SIGSTOP);
  const auto holder = "process " + std::to_string(first.id());
  for (const auto& second : {command(), std::vector<std::string>{"clean", "--resume", "out"}}) {
    expect_refusal(run(second), 2, {"out", "is being written by", holder});
  }
  first.send(SIGCONT);
  EXPECT_EQ(first.wait().exit_code, 0);
  expect_whole();
}

TEST_F(UnfinishedClean, IsNamedWhereTheCommandWouldBeginAgain) {
  fs::create_directory(folder_ / "runs");
  fs::rename(out_, folder_ / "runs/clean");
  Child child({{"clean", "--noisy", "t.csv", "--quick"}, folder_.path()});
  ASSERT_TRUE(wait_until([&] { return child.ended() || fs::exists(folder_ / "runs/clean-2" / request_file); }));
  child.send(SIGINT);
  expect_told(child.wait().err, {"runs/clean holds the same, unfinished", "moblo clean --resume runs/clean`"});
}

/// The data do not exist: the place is looked at first.
TEST_F(UnfinishedClean, IsTheOnlyThingThatIsWrittenTo) {
  const auto into = [](const std::string& folder) {
    return std::vector<std::string>{"clean", "--noisy", "absent.csv", "--out", folder};
  };
  expect_refused_untouched(into("whole"), {"whole", "the results of a `moblo clean`", "Choose another --out"});
  const std::vector<std::pair<std::string, std::string>> others{{"manifest.json", "holds a training run"},
                                                                {"steps.jsonl", "holds a training run"},
                                                                {"experiment.json", "holds an experiment"},
                                                                {"report.html", "holds a file report.html"},
                                                                {"model.safetensors", "holds a file model"}};
  for (const auto& [file, told] : others) {
    fs::create_directory(folder_ / file.substr(0, 5));
    write_file(folder_ / file.substr(0, 5) / file, "{}");
    expect_refused_untouched(into(file.substr(0, 5)), {told, "Choose another --out"});
  }
  expect_refused_untouched({"clean", "--resume", "absent"}, {"--resume absent", "no `moblo clean`"});
  expect_refused_untouched({"clean", "--resume", "manif"}, {"--resume manif", "no `moblo clean`"});
  expect_refusal(run(into("new/folder")), 2, {"absent.csv"});
  EXPECT_FALSE(fs::exists(folder_ / "new")) << "nothing was begun there";
}

TEST_F(UnfinishedClean, ThatIsFinishedStaysTheSameWhenResumed) {
  const auto result = run({"clean", "--resume", "whole"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_told(result.err, {"whole is finished already"});
  EXPECT_TRUE(contents(folder_ / "whole") == contents(*originals / "whole"));
}

}  // namespace
}  // namespace moblo::system_test
