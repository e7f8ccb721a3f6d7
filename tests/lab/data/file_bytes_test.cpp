#include "lab/data/file_bytes.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "lab/data/idx.hpp"
#include "lab/data/matrix.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::data {
namespace {

using readers::testing::Content, readers::testing::refusal_when, readers::testing::TemporaryFolder;
using readers::testing::write_gzip, readers::testing::write_raw;

constexpr std::uint64_t no_limit = 1ULL << 40;

std::string refusal_of_file(const std::filesystem::path& file) {
  return refusal_when([&] { read_file_bytes(file, no_limit); });
}

TEST(FileBytes, ASmallFileThatUnpacksToALotIsStopped) {
  const TemporaryFolder folder;
  const Content zeros(65 << 20, 0);
  const auto bomb = write_gzip(folder.path() / "bomb.csv", readers::testing::idx_bytes({65, 1024, 1024}, zeros));
  ASSERT_LT(std::filesystem::file_size(bomb), 1U << 18);
  const std::string rule = "become more than 64 MB when they are decompressed";
  EXPECT_NE(refusal_when([&] { read_matrix(bomb); }).find(rule), std::string::npos);
  EXPECT_NE(refusal_when([&] { read_idx(bomb, 3); }).find(rule), std::string::npos);
}

TEST(FileBytes, WhatIsNotCompressedMayBeLong) {
  const TemporaryFolder folder;
  const auto file = write_raw(folder.path() / "raw", {7});
  std::filesystem::resize_file(file, 65 << 20);
  EXPECT_EQ(read_file_bytes(file, no_limit).size(), 65U << 20);
}

TEST(FileBytes, UnpacksUpToAHundredTimesItsSize) {
  EXPECT_EQ(most_unpacked(0), 64U << 20);
  EXPECT_EQ(most_unpacked(1 << 20), 100U << 20);
  const TemporaryFolder folder;
  EXPECT_EQ(read_file_bytes(write_gzip(folder.path() / "a.gz", Content(1 << 20, 1)), no_limit).size(), 1U << 20);
}

TEST(FileBytes, NamesThatNoFileCanHaveArePutIntoWords) {
  const TemporaryFolder folder;
  EXPECT_NE(refusal_of_file(folder.path() / std::string(300, 'n')).find("is longer than a file's name can be"),
            std::string::npos);
  EXPECT_NE(refusal_when([&] { read_matrix(folder.path() / (std::string(300, 'n') + ".csv")); }).find("longer than"),
            std::string::npos);
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  EXPECT_NE(refusal_of_file(folder.path() / "loop").find("is a link to itself"), std::string::npos);
}

TEST(FileBytes, PipesAndFoldersAreNotWaitedFor) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe.csv";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& place : {pipe, folder.path(), std::filesystem::path("/dev/zero")}) {
    EXPECT_NE(refusal_of_file(place).find("is not a regular file"), std::string::npos) << place;
  }
}

TEST(Matrix, ListsNestedWithoutEndAreRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "deep.json";
  std::ofstream(file) << std::string(100'000, '[') << std::string(100'000, ']');
  EXPECT_NE(refusal_when([&] { read_matrix(file); }).find("is not a list of lists"), std::string::npos);
}

}  // namespace
}  // namespace moblo::lab::data
