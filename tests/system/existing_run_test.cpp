#include <gtest/gtest.h>

#include <memory>

#include "tests/system/runs.hpp"

namespace moblo::system_test {
namespace {

/// What can happen to a run that exists: each test works on a copy of one that ended at 60 with checkpoints 40 and 60.
class ExistingRun : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    originals = std::make_unique<TemporaryFolder>();
    const std::vector<std::string> sets{"forum.inner_steps=5", "checkpoint_every=20", "iterations=60"};
    expect_done(run_program({synthetic_run(*originals / "sixty", sets)}));
    auto longer = sets;
    longer.back() = "iterations=80";
    expect_done(run_program({synthetic_run(*originals / "eighty", longer)}));
    auto other = synthetic_run(*originals / "other seed", sets);
    other.insert(other.end(), {"--seed", "1"});
    expect_done(run_program({other}));
  }
  static void TearDownTestSuite() { originals.reset(); }

  void SetUp() override {
    fs::copy(*originals / "sixty", run_, fs::copy_options::recursive);
    ASSERT_EQ(checkpoints(run_), (std::vector<std::int64_t>{40, 60}));
  }

  void expect_refused_untouched(const std::vector<std::string>& arguments, const std::vector<std::string>& told) const {
    const auto before = contents(folder_.path());
    const auto result = run_program({arguments, folder_.path()});
    expect_refusal(result, 2, told);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contents(folder_.path()) == before) << "the existing run was changed";
  }

  void expect_resumes_with_warning(const std::vector<std::string>& told) const {
    const auto result = run_program({resumption(run_, {"iterations=80"})});
    expect_done(result);
    const auto warnings = lines_that_start(result.err, "moblo: warning: ");
    ASSERT_EQ(warnings.size(), 1U) << result.err;
    expect_told(warnings.front(), told);
    expect_same_run(run_, *originals / "eighty");
  }

  static void flip_a_byte_in(const fs::path& file) {
    auto bytes = read_file(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
    write_file(file, bytes);
  }

  static std::unique_ptr<TemporaryFolder> originals;
  TemporaryFolder folder_;
  fs::path run_ = folder_ / "run";
};

std::unique_ptr<TemporaryFolder> ExistingRun::originals;

const char* const another_experiment =
    R"({"name": "other", "title": "", "cases": [], "panels": [], "expectations": []})";

TEST_F(ExistingRun, IsNotOverwrittenByAnother) {
  expect_refused_untouched({"run", synthetic_file, "--out", "run"}, {"run", "holds a run already", "--resume run"});
}

TEST_F(ExistingRun, IsNotOverwrittenByRunsOfSeveralSeeds) {
  expect_refused_untouched({"run", synthetic_file, "--quiet", "--seeds", "0..2", "--out", "run"},
                           {"run", "holds a run already", "another --out"});
}

TEST_F(ExistingRun, IsNotOverwrittenByAnExperiment) {
  expect_refused_untouched({"reproduce", "figure-3", "--quiet", "--out", "run"},
                           {"run", "holds a run already", "another --out"});
}

TEST_F(ExistingRun, WhoseManifestWasLostIsNotMixedWithAnother) {
  fs::remove(run_ / "manifest.json");
  expect_refused_untouched({"run", synthetic_file, "--out", "run"}, {"run", "holds a run already"});
}

TEST_F(ExistingRun, OfAnExperimentIsNotHiddenByARunAboveIt) {
  write_file(folder_ / "experiment.json", another_experiment);
  expect_refused_untouched({"run", synthetic_file, "--out", "."}, {"holds an experiment", "another --out"});
}

TEST_F(ExistingRun, OfAnExperimentIsNotTakenOverByAnother) {
  write_file(folder_ / "experiment.json", another_experiment);
  expect_refused_untouched({"reproduce", "figure-3", "--quiet", "--out", "."}, {"the experiment 'other'", "--out"});
}

TEST_F(ExistingRun, CannotBecomeAnotherRun) {
  expect_refused_untouched(resumption(run_, {"forum.rho=0.1"}),
                           {"--set forum.rho=0.1 with --resume", "another run", "start a new run"});
}

/// The manifest of train_in_folder names no problem that the program could build.
TEST_F(ExistingRun, OfAProgramOfItsOwnIsLeftToThatProgram) {
  auto manifest = read_json(run_ / "manifest.json");
  manifest["config"].erase("problem");
  manifest.erase("checksum");  // as older versions wrote it
  write_file(run_ / "manifest.json", manifest.dump());
  expect_refused_untouched(resumption(run_), {"run", "train_in_folder", "Run that program again"});
  expect_refused_untouched({"refit", "run"}, {"run", "train_in_folder", "moblo::refit(problem"});
}

/// The refit comes after the run and decides none of its numbers.
TEST_F(ExistingRun, CanDoWithoutItsRefitWhenResumed) {
  ASSERT_TRUE(read_json(run_ / "summary.json").contains("refit"));
  expect_done(run_program({resumption(run_, {"iterations=80", "refit=off"})}));
  EXPECT_FALSE(read_json(run_ / "summary.json").contains("refit"));
  EXPECT_TRUE(read_file(run_ / "steps.jsonl") == read_file(*originals / "eighty" / "steps.jsonl"));
}

TEST_F(ExistingRun, CannotEndBeforeItsCheckpoint) {
  expect_refused_untouched(resumption(run_, {"iterations=10"}), {"iterations = 10", "has done 60 already"});
}

TEST_F(ExistingRun, CannotGoOnWithABadOption) {
  expect_refused_untouched(resumption(run_, {"iterations=0"}), {"iterations = 0", "out of range"});
}

TEST_F(ExistingRun, CannotGoOnWithAnAssignmentThatIsNone) {
  expect_refused_untouched(resumption(run_, {"iterations"}), {"--set iterations", "key=value"});
}

TEST_F(ExistingRun, WithADamagedManifestIsRefused) {
  write_file(run_ / "manifest.json", read_file(run_ / "manifest.json").substr(0, 100));
  expect_refused_untouched(resumption(run_), {"manifest.json", "is not JSON", "Restore it"});
}

TEST_F(ExistingRun, WithAManifestOfAnotherKindIsRefused) {
  write_file(run_ / "manifest.json", "[]");
  expect_refused_untouched(resumption(run_), {"manifest.json", "an object was expected"});
}

TEST_F(ExistingRun, WithAManifestThatNamesAnUnknownOptionIsRefused) {
  auto manifest = read_json(run_ / "manifest.json");
  manifest["config"]["forum"]["frob"] = 1;
  manifest.erase("checksum");  // as older versions wrote it
  write_file(run_ / "manifest.json", manifest.dump());
  expect_refused_untouched(resumption(run_), {"manifest.json", "forum.frob", "no such option"});
}

TEST_F(ExistingRun, WithAForeignCheckpointIsRefused) {
  for (const auto next_k : {40, 60}) {
    fs::copy_file(checkpoint_file(*originals / "other seed", next_k), checkpoint_file(run_, next_k),
                  fs::copy_options::overwrite_existing);
  }
  expect_refused_untouched(resumption(run_), {run_.string(), "belongs to another run", "Put back"});
}

TEST_F(ExistingRun, WithTwoDamagedCheckpointsIsRefused) {
  flip_a_byte_in(checkpoint_file(run_, 40));
  flip_a_byte_in(checkpoint_file(run_, 60));
  expect_refused_untouched(resumption(run_), {"no checkpoint that is whole", "step-000000060", "step-000000040"});
}

TEST_F(ExistingRun, WithTwoEmptyCheckpointsIsRefused) {
  write_file(checkpoint_file(run_, 40), "");
  write_file(checkpoint_file(run_, 60), "");
  expect_refused_untouched(resumption(run_), {"no checkpoint that is whole"});
}

TEST_F(ExistingRun, WhoseCheckpointsWereRemovedIsRefused) {
  fs::remove_all(run_ / "checkpoint");
  expect_refused_untouched(resumption(run_), {run_.string(), "holds no checkpoint", "Start a new run"});
}

TEST_F(ExistingRun, WithABrokenRecordIsRefused) {
  auto steps = read_file(run_ / "steps.jsonl");
  steps.insert(steps.find('\n') + 1, "not a record\n");
  write_file(run_ / "steps.jsonl", steps);
  expect_refused_untouched(resumption(run_), {"steps.jsonl was changed", "--accept-damage"});
  expect_refused_untouched({"report", "run"}, {"steps.jsonl:2", "is not JSON"});
}

TEST_F(ExistingRun, GoesOnFromTheCheckpointBeforeADamagedOne) {
  flip_a_byte_in(checkpoint_file(run_, 60));
  expect_resumes_with_warning({"step-000000060.safetensors", "Going on from iteration 40"});
}

TEST_F(ExistingRun, GoesOnFromTheCheckpointBeforeATruncatedOne) {
  fs::resize_file(checkpoint_file(run_, 60), 1000);
  expect_resumes_with_warning({"step-000000060.safetensors", "Going on from iteration 40"});
}

TEST_F(ExistingRun, ExtendedEqualsTheLongerRun) {
  const auto result = run_program({resumption(run_, {"iterations=80"})});
  expect_done(result);
  EXPECT_EQ(result.err, "");
  expect_same_run(run_, *originals / "eighty");
}

TEST_F(ExistingRun, ThatIsDoneStaysTheSameWhenResumed) {
  expect_done(run_program({resumption(run_)}));
  expect_same_run(run_, *originals / "sixty");
}

}  // namespace
}  // namespace moblo::system_test
