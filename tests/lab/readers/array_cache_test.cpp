#include "lab/readers/array_cache.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "moblo/base/error.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::readers {
namespace {

using testing::TemporaryFolder;

class ArrayCacheTest : public ::testing::Test {
 protected:
  std::vector<float> get(const Json& key, std::int64_t size = 3) {
    const ArrayLayout layout{"values", "F32", {size}};
    const auto arrays =
        ArrayCache(home_.path() / "new")
            .get(
                "entry", key, {layout},
                [&] {
                  ++made_;
                  return std::vector{stored_array(layout, std::vector<float>(static_cast<std::size_t>(size), 1.5F))};
                },
                notes_);
    return array_values<float>(arrays.at(0));
  }

  std::filesystem::path only_entry() const { return std::filesystem::directory_iterator(home_.path() / "new")->path(); }

  TemporaryFolder home_;
  std::vector<std::string> notes_;
  int made_ = 0;
};

TEST_F(ArrayCacheTest, MakesAnEntryOnce) {
  EXPECT_EQ(get({{"a", 1}}), std::vector<float>(3, 1.5F));
  EXPECT_EQ(get({{"a", 1}}), std::vector<float>(3, 1.5F));
  EXPECT_EQ(made_, 1);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(ArrayCacheTest, AnotherKeyIsAnotherEntry) {
  get({{"a", 1}});
  get({{"a", 2}});
  EXPECT_EQ(made_, 2);
}

TEST_F(ArrayCacheTest, DamageIsFoundAndTheEntryMadeAgain) {
  get({{"a", 1}});
  const auto file = only_entry();
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(-2, std::ios::end);
  out.put('\x7f');
  out.close();
  EXPECT_EQ(get({{"a", 1}}), std::vector<float>(3, 1.5F));
  EXPECT_EQ(made_, 2);
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_NE(notes_[0].find(file.string()), std::string::npos) << notes_[0];
  EXPECT_NE(notes_[0].find("made again"), std::string::npos) << notes_[0];
  get({{"a", 1}});
  EXPECT_EQ(made_, 2);
  std::filesystem::resize_file(file, 20);
  get({{"a", 1}});
  EXPECT_EQ(made_, 3);
}

TEST_F(ArrayCacheTest, AnEntryOfAnotherShapeIsMadeAgain) {
  get({{"a", 1}}, 3);
  EXPECT_EQ(get({{"a", 1}}, 4).size(), 4U);
  EXPECT_EQ(made_, 2);
  EXPECT_EQ(notes_.size(), 1U);
}

TEST_F(ArrayCacheTest, AFolderThatCannotBeWrittenOnlyCostsTime) {
  std::ofstream(home_.path() / "new") << "a file";
  EXPECT_EQ(get({{"a", 1}}).size(), 3U);
  ASSERT_EQ(notes_.size(), 1U);
}

TEST_F(ArrayCacheTest, WhatCannotBeMadeLeavesNoEntry) {
  const auto fail = []() -> std::vector<records::StoredTensor> { throw Error(ErrorKind::data, "x", "y", ""); };
  EXPECT_THROW(ArrayCache(home_.path() / "new").get("entry", {{"a", 1}}, {}, fail, notes_), Error);
  EXPECT_FALSE(std::filesystem::exists(home_.path() / "new"));
}

}  // namespace
}  // namespace moblo::lab::readers
