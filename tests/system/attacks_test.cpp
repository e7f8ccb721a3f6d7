// What somebody may do to run folders and to the program, by mistake or on purpose: nothing is lost, nothing of others
// is replaced, nothing hangs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <functional>
#include <memory>
#include <thread>

#include "moblo/records/run_folder.hpp"
#include "tests/system/runs.hpp"

namespace moblo::system_test::attacks_test {
namespace {

const std::vector<std::string> short_sets{"forum.inner_steps=5", "checkpoint_every=20", "iterations=60"};

/// A program that goes on until its output folder has this file.
bool begun(const fs::path& run) {
  return wait_until([&] { return fs::exists(run / "steps.jsonl") && fs::file_size(run / "steps.jsonl") > 0; });
}

class Attacked : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    original = std::make_unique<TemporaryFolder>();
    expect_done(run_program({synthetic_run(*original / "run", short_sets)}));
  }
  static void TearDownTestSuite() { original.reset(); }
  void SetUp() override { fs::copy(*original / "run", run_, fs::copy_options::recursive); }

  static std::unique_ptr<TemporaryFolder> original;
  TemporaryFolder folder_;
  fs::path run_ = folder_ / "run";
};

std::unique_ptr<TemporaryFolder> Attacked::original;

TEST_F(Attacked, TwoResumesAtOnceAreOneAndARefusal) {
  const auto longer = resumption(run_, {"iterations=200000"});
  Child first({longer});
  ASSERT_TRUE(wait_until([&] { return fs::exists(run_ / ".lock"); }));
  const auto second = run_program({longer});
  expect_refusal(second, 2, {run_.string(), fmt::format("is being written by process {}", first.id()), "Wait until"});
  first.send(SIGTERM);
  EXPECT_EQ(first.wait().exit_code, 130);
  expect_done(run_program({{"verify", run_.string()}}));
}

TEST_F(Attacked, TwoRunsIntoOneNewFolderAreOneAndARefusal) {
  const auto out = folder_ / "new";
  const auto arguments = synthetic_run(out, {"forum.inner_steps=5", "iterations=200000"});
  Child first({arguments}), second({arguments});
  ASSERT_TRUE(begun(out));
  ASSERT_TRUE(wait_until([&] { return first.ended() || second.ended(); }));
  auto& refused = first.ended() ? first : second;
  auto& running = first.ended() ? second : first;
  expect_refusal(refused.wait(), 2, {out.string()});
  running.send(SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 130);
  expect_done(run_program({{"verify", out.string()}}));
}

TEST_F(Attacked, AHangUpSavesTheStateLikeCtrlC) {
  const auto out = folder_ / "new";
  Child child({synthetic_run(out, {"forum.inner_steps=5", "iterations=200000"})});
  ASSERT_TRUE(begun(out));
  child.send(SIGHUP);
  EXPECT_EQ(child.wait().exit_code, 130);
  EXPECT_FALSE(checkpoints(out).empty());
}

TEST_F(Attacked, OutputsAreWrittenToDevicesAndThroughLinks) {
  ASSERT_EQ(mknod((folder_ / "null").c_str(), S_IFCHR | 0666, makedev(1, 3)), 0);
  expect_done(run_program({{"report", run_.string(), "--html", "--out", (folder_ / "null").string()}}));
  EXPECT_TRUE(fs::is_character_file(folder_ / "null"));
  write_file(folder_ / "page.html", "before");
  fs::create_symlink("page.html", folder_ / "link.html");
  expect_done(run_program({{"report", run_.string(), "--html", "--out", (folder_ / "link.html").string()}}));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.html"));
  EXPECT_TRUE(read_file(folder_ / "page.html").starts_with("<!")) << read_file(folder_ / "page.html").substr(0, 20);
}

TEST_F(Attacked, NoRecordIsReplacedByAReport) {
  for (const auto* name : {"manifest.json", "steps.jsonl", "model.safetensors"}) {
    const auto before = read_file(run_ / name);
    expect_refusal(run_program({{"report", run_.string(), "--csv", "--out", (run_ / name).string()}}), 2,
                   {name, "is a record of a run"});
    EXPECT_TRUE(read_file(run_ / name) == before);
  }
}

TEST_F(Attacked, ResultsOfCleanAreNotReplacedByARun) {
  fs::create_directory(folder_ / "cleaned");
  write_file(folder_ / "cleaned/clean.json", "{}");
  const auto before = contents(folder_ / "cleaned");
  auto seeds = synthetic_run(folder_ / "cleaned", short_sets);
  seeds.insert(seeds.end(), {"--seeds", "0..1"});
  const std::vector<std::string> reproduced{"reproduce", "figure-3", "--quiet", "--out",
                                            (folder_ / "cleaned").string()};
  for (const auto& arguments : {synthetic_run(folder_ / "cleaned", short_sets), seeds, reproduced}) {
    expect_refusal(run_program({arguments}), 2, {"cleaned", "holds the results of `moblo clean`"});
    EXPECT_TRUE(contents(folder_ / "cleaned") == before);
  }
}

TEST_F(Attacked, TheListOfACleanIsNotReplacedByAReport) {
  fs::create_directory(folder_ / "cleaned");
  write_file(folder_ / "cleaned/clean.json", "{}");
  write_file(folder_ / "cleaned/samples.csv", "dataset,id\n");
  const auto list = (folder_ / "cleaned/samples.csv").string();
  expect_refusal(run_program({{"report", run_.string(), "--csv", "--out", list}}), 2,
                 {"samples.csv", "is a record of a run"});
  EXPECT_EQ(read_file(list), "dataset,id\n");
}

TEST_F(Attacked, DeepNestingIsRefusedByEveryReader) {
  const auto deep = std::string(200'000, '[') + std::string(200'000, ']');
  std::string key = "a";
  for (int i = 0; i < 50'000; ++i) key += ".a";
  write_file(folder_ / "keys.toml", key + " = 1\n");
  write_file(folder_ / "table.toml", "[" + key + "]\nb = 1\n");
  write_file(folder_ / "brackets.toml", "a = " + deep + "\n");
  write_file(folder_ / "matrix.json", deep);
  write_file(run_ / "manifest.json", "{\"config\":" + deep + "}");
  for (const auto* file : {"keys.toml", "table.toml", "brackets.toml"}) {
    expect_refusal(run_program({{"run", (folder_ / file).string()}}), 2, {file});
  }
  expect_refusal(run_program({{"run", synthetic_file, "--set", key + "=1"}}), 2, {"--set"});
  expect_refusal(run_program({{"aggregate", "--method", "mgda", (folder_ / "matrix.json").string()}}), 2,
                 {"matrix.json"});
  expect_refusal(run_program({{"report", run_.string()}}), 2, {"manifest.json", "nested too deeply"});
  expect_refusal(run_program({resumption(run_)}), 2, {"manifest.json", "nested too deeply"});
}

/// 56 of 247 such damages went unnoticed once.
TEST_F(Attacked, EveryDamageOfTheRecordsIsNoticed) {
  const auto expect_noticed = [&](const std::string& what) {
    const auto verified = run_program({{"verify", run_.string()}});
    EXPECT_EQ(verified.exit_code, 1) << what << verified.out;
    const auto reported = run_program({{"report", run_.string()}});
    EXPECT_NE(reported.exit_code, 0) << what;
    EXPECT_NE(reported.err, "") << what;
  };
  for (const auto* name : {"steps.jsonl", "timings.jsonl", "evaluations.jsonl", "manifest.json", "summary.json"}) {
    if (!fs::exists(run_ / name) || fs::file_size(run_ / name) == 0) continue;
    const auto whole = read_file(run_ / name);
    const auto digit = whole.find_first_of("123456789", whole.size() / 2);
    auto flipped = whole;
    flipped[digit] ^= 1;
    for (const auto& damaged : {flipped, whole.substr(0, whole.size() / 2), std::string()}) {
      write_file(run_ / name, damaged);
      expect_noticed(fmt::format("{}, {} bytes", name, damaged.size()));
    }
    if (name != std::string("manifest.json") && name != std::string("summary.json")) {
      fs::remove(run_ / name);
      expect_noticed(fmt::format("{} is gone", name));
    }
    write_file(run_ / name, whole);
  }
  expect_done(run_program({{"verify", run_.string()}}));
}

TEST_F(Attacked, ARunWithDamagedRecordsGoesOnOnlyWhereTheUserAccepts) {
  auto steps = read_file(run_ / "steps.jsonl");
  steps[steps.find_first_of("123456789", 40)] ^= 1;
  write_file(run_ / "steps.jsonl", steps);
  expect_refusal(run_program({resumption(run_, {"iterations=80"})}), 2, {"steps.jsonl was changed", "--accept-damage"});
  auto accepted = resumption(run_, {"iterations=80"});
  accepted.push_back("--accept-damage");
  const auto result = run_program({accepted});
  expect_done(result);
  expect_told(result.err, {"warning", "steps.jsonl was changed"});
  const auto amendments = read_json(run_ / "manifest.json")["amendments"].dump();
  EXPECT_NE(amendments.find("accepted damage"), std::string::npos) << amendments;
}

TEST_F(Attacked, APipeInPlaceOfARecordHangsNothing) {
  fs::remove(run_ / "steps.jsonl");
  ASSERT_EQ(mkfifo((run_ / "steps.jsonl").c_str(), 0600), 0);
  expect_refusal(run_program({{"report", run_.string()}}), 2, {"steps.jsonl", "is a pipe or a device"});
  expect_refusal(run_program({resumption(run_, {"iterations=80"})}), 2, {"steps.jsonl"});
  EXPECT_EQ(run_program({{"verify", run_.string()}}).exit_code, 1);
}

TEST_F(Attacked, AMemoryLimitThatIsTooSmallIsSaid) {
  const auto limited = [&](const std::string& option) {
    return run_program(
        {.arguments = {option, MOBLO_PROGRAM, "run", synthetic_file, "--quiet", "--out", (folder_ / "x").string()},
         .program = "prlimit"});
  };
  expect_refusal(limited("--data=100000000"), 1, {"memory", "MiB", "ulimit"});
}

/// The signal that comes with it would end the process in the middle of a write.
TEST_F(Attacked, ALimitOnTheSizeOfFilesIsAFullDisk) {
  const auto out = folder_ / "limited";
  std::vector<std::string> arguments{"--fsize=60000", MOBLO_PROGRAM};
  for (const auto& argument : synthetic_run(out, {"forum.inner_steps=5", "checkpoint_every=20", "iterations=400"})) {
    arguments.push_back(argument);
  }
  const auto limited = run_program({.arguments = arguments, .program = "prlimit"});
  EXPECT_EQ(limited.signal, 0);
  EXPECT_EQ(limited.exit_code, 1);
  expect_told(limited.err, {"steps.jsonl: cannot be written: File too large", "the last checkpoint stands"});
  expect_done(run_program({resumption(out)}));
  expect_done(run_program({{"verify", out.string()}}));
}

TEST_F(Attacked, NamesThatAreTooLongAreSaid) {
  const std::string name(300, 'x');
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"report", name},
                                                                     {"run", name},
                                                                     {"run", "--resume", name},
                                                                     {"verify", name},
                                                                     {"watch", name},
                                                                     {"run", synthetic_file, "--quiet", "--out", name},
                                                                     {"reproduce", "figure-3", "--out", name},
                                                                     {"report", run_.string(), "--html", "--out", name},
                                                                     {"aggregate", name}}) {
    const auto result = run_program({arguments, folder_.path()});
    EXPECT_TRUE(result.exit_code == 1 || result.exit_code == 2) << arguments.front() << result.exit_code;
    EXPECT_EQ(result.err.find("unexpected error"), std::string::npos) << result.err;
  }
}

TEST_F(Attacked, AKilledSetOfSeedsGoesOnAsASet) {
  const auto set = folder_ / "set";
  auto arguments = synthetic_run(set, {"forum.inner_steps=5", "checkpoint_every=50", "iterations=2000"});
  arguments.insert(arguments.end(), {"--seeds", "0..2"});
  expect_done(run_program({[&] {
    auto reference = arguments;
    reference[4] = (folder_ / "reference").string();
    return reference;
  }()}));
  std::vector<std::string> runs;
  for (const auto& run : records::find_runs(folder_ / "reference")) runs.push_back(run.filename().string());
  ASSERT_EQ(runs.size(), 3U);
  {
    Child child({arguments});
    ASSERT_TRUE(wait_until([&] { return !checkpoints(set / runs[1]).empty(); }));
    child.send(SIGKILL);
    child.wait();
  }
  expect_refusal(run_program({arguments}), 2, {"holds an experiment", "--resume"});
  expect_done(run_program({resumption(set)}));
  for (const auto& run : runs) expect_same_run(set / run, folder_ / "reference" / run);
  const auto again = contents(set / runs[0]);
  expect_done(run_program({resumption(set)}));  // nothing is left to do
  EXPECT_TRUE(contents(set / runs[0]) == again);
}

TEST_F(Attacked, ARunThatIsRefusedLeavesItsPlaceFree) {
  const auto out = folder_ / "new";
  auto refused = synthetic_run(out, short_sets);
  refused.insert(refused.end(), {"--set", "select=no such metric", "--set", "evaluate_every=10"});
  expect_refusal(run_program({refused}), 2, {"select"});
  EXPECT_FALSE(fs::exists(out));
  expect_done(run_program({synthetic_run(out, short_sets)}));
}

TEST_F(Attacked, VerifySaysWhatIsGood) {
  const auto good = run_program({{"verify", run_.string(), "--json"}});
  expect_done(good);
  const auto told = Json::parse(good.out);
  EXPECT_EQ(told["status"], "good");
  for (const auto& file : told["folders"][0]["files"]) EXPECT_EQ(file["state"], "good") << file;
  auto model = read_file(run_ / "model.safetensors");
  model.back() ^= 1;
  write_file(run_ / "model.safetensors", model);
  const auto damaged = run_program({{"verify", run_.string()}});
  EXPECT_EQ(damaged.exit_code, 1);
  expect_told(damaged.out, {"DAMAGED", "model.safetensors", "checksum"});
  expect_refusal(run_program({{"verify", (folder_ / "nowhere").string()}}), 2, {"nowhere", "holds no run"});
}

}  // namespace
}  // namespace moblo::system_test::attacks_test
