#include "lab/data/paired_images.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "moblo/base/error.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::data {
namespace {

using Indices = std::vector<std::int64_t>;

/// Images of 3 x 3; image i has the value 10 + i everywhere.
LabelledImages flat_images(std::int64_t count) {
  LabelledImages images{count, 3, 3, {}, {}, "", ""};
  for (std::int64_t i = 0; i < count; ++i) {
    images.pixels.insert(images.pixels.end(), 9, static_cast<std::uint8_t>(10 + i));
    images.labels.push_back(static_cast<std::uint8_t>(i % 10));
  }
  return images;
}

TEST(PairedImages, TheBrighterPixelStaysWhereTwoImagesOverlap) {
  const auto pairs = pair_images(flat_images(2), {0, 1}, 2, 2, 0);
  ASSERT_EQ(pairs.side, 5);
  for (std::size_t n = 0; n < 2; ++n) {
    const auto pixel = [&](std::size_t row, std::size_t column) { return pairs.pixels[n * 25 + row * 5 + column]; };
    const auto first = static_cast<std::uint8_t>(10 + pairs.sources[2 * n]),
               second = static_cast<std::uint8_t>(10 + pairs.sources[2 * n + 1]);
    EXPECT_NE(first, second);
    EXPECT_EQ(pixel(0, 0), first);
    EXPECT_EQ(pixel(2, 1), first);
    EXPECT_EQ(pixel(2, 2), 11);  // the brighter of the two
    EXPECT_EQ(pixel(4, 4), second);
    EXPECT_EQ(pixel(2, 4), second);
    EXPECT_EQ(pixel(0, 4), 0);
    EXPECT_EQ(pairs.labels[2 * n], pairs.sources[2 * n]);
    EXPECT_EQ(pairs.labels[2 * n + 1], pairs.sources[2 * n + 1]);
  }
}

class PairCounts : public ::testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {};

TEST_P(PairCounts, EveryImageIsUsedAlikeAndNeverWithItself) {
  const auto [images, count] = GetParam();
  Indices pool;
  for (std::int64_t i = 0; i < images; ++i) pool.push_back(i);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto pairs = pair_images(flat_images(images), pool, count, 1, seed);
    std::map<std::int64_t, int> first, second;
    for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
      EXPECT_NE(pairs.sources[2 * n], pairs.sources[2 * n + 1]);
      ++first[pairs.sources[2 * n]];
      ++second[pairs.sources[2 * n + 1]];
    }
    for (const auto& used : {first, second}) {
      for (const auto& [image, times] : used) EXPECT_LE(times, (count + images - 1) / images + (count == 1)) << image;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PairCounts,
                         ::testing::Values(std::pair{2, 1}, std::pair{2, 2}, std::pair{3, 3}, std::pair{50, 50},
                                           std::pair{50, 20}, std::pair{20, 50}));

TEST(PairedImages, TheSeedDecides) {
  const auto images = flat_images(100);
  Indices pool;
  for (std::int64_t i = 0; i < 100; ++i) pool.push_back(i);
  EXPECT_EQ(pair_images(images, pool, 100, 8, 1).pixels, pair_images(images, pool, 100, 8, 1).pixels);
  EXPECT_NE(pair_images(images, pool, 100, 8, 1).sources, pair_images(images, pool, 100, 8, 2).sources);
}

TEST(PairedImages, RefusesWhatCannotBePaired) {
  EXPECT_THROW(pair_images(flat_images(1), {0}, 1, 8, 0), Error);
  EXPECT_THROW(pair_images(flat_images(2), {0, 1}, 0, 8, 0), Error);
  EXPECT_THROW(pair_images(flat_images(2), {0, 1}, 1, -1, 0), Error);
  auto oblong = flat_images(2);
  oblong.height = 1, oblong.width = 9;
  EXPECT_THROW(pair_images(oblong, {0, 1}, 1, 8, 0), Error);
}

TEST(PairedImages, TrainingAndValidationShareNoImage) {
  const readers::testing::TemporaryFolder made;
  readers::testing::make_data_directory(made.path(), 300);
  PairedImagesOptions options;
  options.data = made.path().string();
  options.train = 500, options.validation = 100, options.test = 40;
  const auto parts = make_paired_images(options, 7);
  EXPECT_EQ(parts.train.count, 500);
  EXPECT_EQ(parts.validation.labels.size(), 200U);
  EXPECT_EQ(parts.test.side, 12);
  const std::set<std::int64_t> train(parts.train.sources.begin(), parts.train.sources.end()),
      held_out(parts.validation.sources.begin(), parts.validation.sources.end());
  EXPECT_EQ(train.size(), 250U);
  EXPECT_EQ(held_out.size(), 50U);
  for (const auto image : held_out) EXPECT_FALSE(train.contains(image)) << image;
  EXPECT_FALSE(parts.provenance["files"][0]["as_published"].get<bool>());
  EXPECT_EQ(parts.provenance["samples_sha256"], make_paired_images(options, 7).provenance["samples_sha256"]);
  EXPECT_NE(parts.provenance["samples_sha256"], make_paired_images(options, 8).provenance["samples_sha256"]);
  options.dataset = "qm9";
  EXPECT_THROW(make_paired_images(options, 7), Error);
}

}  // namespace
}  // namespace moblo::lab::data
