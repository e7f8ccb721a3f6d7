#include <gtest/gtest.h>

#include <sstream>

#include "tests/system/folders.hpp"
#include "tests/system/program.hpp"

namespace moblo::system_test {
namespace {

/// Without the descriptions behind the tabs.
std::vector<std::string> candidates(std::vector<std::string> words) {
  words.insert(words.begin(), "--complete");
  const auto result = run_program({.arguments = words});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<std::string> found;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) found.push_back(line.substr(0, line.find('\t')));
  return found;
}

using Words = std::vector<std::string>;

TEST(Completion, OffersCommandsAndTheirOptions) {
  EXPECT_EQ(candidates({"re"}), (Words{"reproduce", "refit", "report"}));
  EXPECT_EQ(candidates({"run", "--se"}), (Words{"--set", "--seed", "--seeds"}));
  EXPECT_EQ(candidates({"no-such-command", ""}), Words{});
}

TEST(Completion, OffersWhatAnOptionOrAWordMayBe) {
  EXPECT_EQ(candidates({"refit", "--from", ""}), (Words{"fresh", "current"}));
  EXPECT_EQ(candidates({"reproduce", "figure-"}), (Words{"figure-1", "figure-2", "figure-3"}));
  EXPECT_EQ(candidates({"list", "pro"}), (Words{"problems"}));
  EXPECT_EQ(candidates({"aggregate", "--method", "upg"}), (Words{"upgrad"}));
  const auto methods = candidates({"list", "methods", "forum"});
  EXPECT_EQ(methods, (Words{"forum", "forum_single"}));
}

TEST(Completion, LeavesFilesToTheShell) {
  EXPECT_EQ(candidates({"report", ""}), Words{});
  EXPECT_EQ(candidates({"run", "--out", ""}), Words{});
}

TEST(Completion, WorksInBash) {
  const TemporaryFolder folder;
  const auto script = run_program({.arguments = {"completion", "bash"}});
  write_file(folder / "moblo.bash", script.out);
  const auto result = run_program(
      {.arguments = {"-c", "PATH=" + std::filesystem::path(MOBLO_PROGRAM).parent_path().string() +
                               ":$PATH; . ./moblo.bash; COMP_WORDS=(moblo list meth); COMP_CWORD=2; _moblo; "
                               "echo \"${COMPREPLY[@]}\""},
       .folder = folder.path(),
       .program = "/bin/bash"});
  EXPECT_EQ(result.out, "methods\n") << result.err;
}

TEST(Completion, RefusesAShellThatItDoesNotKnow) {
  const auto result = run_program({.arguments = {"completion", "tcsh"}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("bash"), std::string::npos) << result.err;
}

TEST(ManualPages, ThereIsOneForEachCommandWithAllOfItsOptions) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program({.arguments = {"--man-pages", folder.path().string()}}).exit_code, 0);
  const auto page = read_file(folder / "moblo.1");
  for (const auto& verb : candidates({""})) {
    std::string name = verb;
    for (auto at = name.find('-'); at != std::string::npos; at = name.find('-', at + 2)) name.insert(at, "\\");
    EXPECT_NE(page.find("moblo\\-" + name), std::string::npos) << verb;
    EXPECT_TRUE(std::filesystem::exists(folder / ("moblo-" + verb + ".1"))) << verb;
  }
  const auto options = read_file(folder / "moblo-run.1");
  EXPECT_NE(options.find("\\-\\-accept\\-damage"), std::string::npos) << options;
}

}  // namespace
}  // namespace moblo::system_test
