#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "moblo/records/run_folder.hpp"
#include "tests/system/runs.hpp"

namespace moblo::system_test {
namespace {

std::string status_of(const fs::path& run) {
  return read_json(run / "summary.json").value("status", "");
}

/// A file system of a few kilobytes, which only root may make.
class TinyDisk {
 public:
  explicit TinyDisk(fs::path at) : at_(std::move(at)) { fs::create_directory(at_); }
  ~TinyDisk() {
    if (mounted_) umount2(at_.c_str(), MNT_DETACH);
  }
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;

  bool mount_with(const std::string& size) {
    mounted_ = mount("tmpfs", at_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    return mounted_;
  }
  bool grow_to(const std::string& size) {
    return mount("tmpfs", at_.c_str(), "tmpfs", MS_REMOUNT, ("size=" + size).c_str()) == 0;
  }

 private:
  fs::path at_;
  bool mounted_ = false;
};

class FullDisk : public ::testing::Test {
 protected:
  const std::vector<std::string> sets_{"forum.inner_steps=5", "checkpoint_every=50", "iterations=400"};

  void expect_reference_after_resume(const fs::path& run) {
    expect_done(run_program({resumption(run)}));
    expect_done(run_program({synthetic_run(folder_ / "reference", sets_)}));
    expect_same_run(run, folder_ / "reference");
  }

  TemporaryFolder folder_;
};

TEST(Divergence, EndsTheRunWithItsLastFiniteStateSaved) {
  const TemporaryFolder folder;
  const auto run = folder / "run";
  const auto result =
      run_program({synthetic_run(run, {"optimiser.alpha.step_size=50", "optimiser.omega.step_size=50"})});
  expect_failure(result, 1, {run.string(), "is not finite", "Lower the step sizes"});
  EXPECT_EQ(status_of(run), "non_finite");
  const auto record = records::read_run(run);
  const auto checkpoint = records::load_checkpoint(run);
  EXPECT_EQ(checkpoint.next_k, record.summary->iterations);
  EXPECT_EQ(checkpoint.warning, "");
  EXPECT_TRUE(std::isfinite(record.steps.back().losses.front()));
  EXPECT_NO_THROW(records::read_tensor_file(run / "model.safetensors", true));
}

TEST(Divergence, IsToldInTheObject) {
  const TemporaryFolder folder;
  auto arguments = synthetic_run(folder / "run", {"optimiser.alpha.step_size=50", "optimiser.omega.step_size=50"});
  arguments.emplace_back("--json");
  const auto result = run_program({arguments});
  expect_failure(result, 1, {"is not finite"});
  const auto object = Json::parse(result.out, nullptr, false);
  ASSERT_TRUE(object.is_object()) << result.out;
  EXPECT_EQ(object.value("status", ""), "non_finite");
}

TEST_F(FullDisk, FailsTheRunAndKeepsItsCheckpoint) {
  const auto run = folder_ / "run";
  Invocation invocation{synthetic_run(run, sets_)};
  invocation.largest_file = 64 * 1024;
  const auto result = run_program(invocation);
  EXPECT_EQ(result.exit_code, 1);
  expect_told(result.err, {"steps.jsonl", "cannot be written", "File too large"});  // nor may the page fit
  expect_no_innards(result);
  EXPECT_EQ(status_of(run), "failed");
  EXPECT_GE(records::load_checkpoint(run).next_k, 50);
  expect_reference_after_resume(run);
}

TEST_F(FullDisk, ThatIsARealOneFailsTheRunAndKeepsItsCheckpoint) {
  TinyDisk disk(folder_ / "disk");
  if (!disk.mount_with("112k")) GTEST_SKIP() << "cannot mount a tmpfs here: " << std::strerror(errno);
  const auto run = folder_ / "disk" / "run";
  auto arguments = synthetic_run(run, sets_);
  arguments.emplace_back("--json");
  const auto result = run_program({arguments});
  EXPECT_EQ(result.exit_code, 1);
  expect_told(result.err, {"cannot be written", "No space left on device", "Free some space"});
  expect_no_innards(result);
  EXPECT_EQ(Json::parse(result.out, nullptr, false).value("status", ""), "failed");
  EXPECT_GE(records::load_checkpoint(run).next_k, 50);
  ASSERT_TRUE(disk.grow_to("16m"));
  expect_reference_after_resume(run);
}

TEST_F(FullDisk, IsToldBeforeAnyWorkIsDone) {
  Invocation invocation{synthetic_run(folder_ / "run", sets_)};
  invocation.largest_file = 1000;
  expect_refusal(run_program(invocation), 1, {"manifest.json", "cannot be written"});
}

Result in_shell(const std::string& command, const fs::path& folder) {
  Invocation shell{{"-c", "\"" MOBLO_PROGRAM "\" " + command}, folder};
  shell.program = "sh";
  return run_program(shell);
}

TEST(LostOutput, IsAFailure) {
  const TemporaryFolder folder;
  for (const std::string command : {"list methods", "list training", "--version", "--version --verbose"}) {
    expect_refusal(in_shell(command + " >/dev/full", folder.path()), 1, {"No space left on device"});
  }
}

TEST(LostOutput, OfMessagesChangesNothingElse) {
  const TemporaryFolder folder;
  EXPECT_EQ(in_shell("frobnicate 2>/dev/full", folder.path()).exit_code, 2);
  EXPECT_EQ(in_shell("run missing.toml --json 2>/dev/full", folder.path()).exit_code, 2);
  const auto result = in_shell("run " + synthetic_file + " --set iterations=5 --out run 2>/dev/full", folder.path());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(status_of(folder / "run"), "completed");
}

TEST(Launcher, NeedsTheEngineForRunsOnly) {
  const TemporaryFolder folder;
  fs::copy_file(MOBLO_PROGRAM, folder / "moblo");
  fs::copy_file(fs::path(MOBLO_PROGRAM).parent_path() / "catalogue.json", folder / "catalogue.json");
  const auto start = [&](const std::vector<std::string>& arguments) {
    Invocation invocation{arguments, folder.path()};
    invocation.program = folder / "moblo";
    return run_program(invocation);
  };
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"--version"},
                                                                     {"--help"},
                                                                     {"run", "--help"},
                                                                     {"list", "methods"},
                                                                     {"list", "problems", "quadratic"},
                                                                     {"list", "weightings", "cagrad"},
                                                                     {"list", "experiments"},
                                                                     {}}) {
    const auto result = start(arguments);
    expect_done(result);
    EXPECT_NE(result.out, "");
    EXPECT_EQ(result.err, "");
  }
  expect_refusal(start(synthetic_run(folder / "run", {})), 1, {"moblo-engine", "is missing", "install moblo again"});
}

TEST(Launcher, DoesNotLoadTorch) {
  Invocation invocation{{MOBLO_PROGRAM}};
  invocation.program = "ldd";
  const auto libraries = run_program(invocation);
  expect_done(libraries);
  EXPECT_NE(libraries.out.find("libc.so"), std::string::npos);
  EXPECT_EQ(libraries.out.find("torch"), std::string::npos);
  EXPECT_EQ(libraries.out.find("libc10"), std::string::npos);
}

}  // namespace
}  // namespace moblo::system_test
