#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>

#include "tests/lab/readers/made_data.hpp"

namespace moblo {
namespace {

using lab::readers::testing::make_data_directory;
using lab::readers::testing::TemporaryFolder;

struct Said {
  int exit_code;
  std::string text;
};

/// Standard output and error of the program, with a home of its own.
Said moblo_with(const std::string& arguments, const std::filesystem::path& home) {
  const std::string command =
      "env -u MOBLO_DATA XDG_CACHE_HOME='" + home.string() + "' '" MOBLO_PROGRAM "' " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> piece{};
  while (const auto got = fread(piece.data(), 1, piece.size(), pipe)) text.append(piece.data(), got);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(DataVerb, WherePrintsThePathAlone) {
  const TemporaryFolder home, made;
  make_data_directory(made.path());
  const auto said = moblo_with("data where mnist --data " + made.path().string(), home.path());
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.text, (made.path() / "mnist").string() + "\n");
}

TEST(DataVerb, LooksInTheCacheWithoutBeingTold) {
  const TemporaryFolder home;
  make_data_directory(home.path() / "moblo");
  const auto said = moblo_with("data where mnist", home.path());
  EXPECT_EQ(said.text, (home.path() / "moblo" / "mnist").string() + "\n");
}

TEST(DataVerb, AMissingDatasetIsAnsweredWithTheWayToGetIt) {
  const TemporaryFolder home;
  const auto said = moblo_with("data where mnist", home.path());
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_TRUE(contains(said.text, "moblo data get mnist")) << said.text;
  EXPECT_TRUE(contains(said.text, "https://")) << said.text;
}

TEST(DataVerb, VerifyRefusesOtherFilesOfTheSameName) {
  const TemporaryFolder home, made;
  make_data_directory(made.path());
  const auto said = moblo_with("data verify fashion-mnist --data " + made.path().string(), home.path());
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_TRUE(contains(said.text, "train-images-idx3-ubyte has 4816 of 47040016 bytes")) << said.text;
}

TEST(DataVerb, GetFromAFolderRefusesOtherFilesAndCopiesNone) {
  const TemporaryFolder home, made;
  make_data_directory(made.path());
  const auto said = moblo_with("data get mnist --from " + (made.path() / "mnist").string(), home.path());
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_TRUE(contains(said.text, "is not mnist")) << said.text;
  EXPECT_FALSE(std::filesystem::exists(home.path() / "moblo" / "mnist"));
}

TEST(DataVerb, WeightsAreTakenFromAFolderOrToldHowToGet) {
  const TemporaryFolder home, made;
  const auto none = moblo_with("data get squeezenet", home.path());
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(contains(none.text, "torchvision")) << none.text;
  lab::readers::testing::write_raw(made.path() / "squeezenet1_1_imagenet.npz", {1, 2, 3});
  const auto other = moblo_with("data get squeezenet --from " + made.path().string(), home.path());
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_TRUE(contains(other.text, "has 3 of 4956674 bytes")) << other.text;
  const auto folder = home.path() / "moblo" / "squeezenet";
  lab::readers::testing::write_raw(folder / "squeezenet1_1_imagenet.safetensors", {1});
  EXPECT_EQ(moblo_with("data where squeezenet", home.path()).text, folder.string() + "\n");
}

TEST(DataVerb, BadUsageIsNamed) {
  const TemporaryFolder home;
  EXPECT_TRUE(contains(moblo_with("data fetch mnist", home.path()).text, "get, verify, where"));
  EXPECT_TRUE(contains(moblo_with("data where minst", home.path()).text, "Did you mean 'mnist'"));
  EXPECT_TRUE(contains(moblo_with("data verify --from x", home.path()).text, "moblo data get NAME --from DIR"));
  EXPECT_EQ(moblo_with("data", home.path()).exit_code, 2);
}

TEST(DataVerb, DatasetsAreListed) {
  const TemporaryFolder home;
  make_data_directory(home.path() / "moblo");
  const auto said = moblo_with("list datasets", home.path());
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_TRUE(contains(said.text, "fashion-mnist")) << said.text;
  EXPECT_TRUE(contains(said.text, (home.path() / "moblo" / "mnist").string())) << said.text;
}

}  // namespace
}  // namespace moblo
