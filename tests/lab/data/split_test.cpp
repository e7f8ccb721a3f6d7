#include "lab/data/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/data/digest.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::data {
namespace {

std::vector<std::int64_t> labels(std::int64_t count, int classes) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(i % classes);
  return out;
}

std::int64_t count(const std::vector<bool>& flags) {
  return std::count(flags.begin(), flags.end(), true);
}

TEST(Split, PartsHaveTheirSizesAndShareNoSample) {
  const Split split = draw_split(60000, {}, 3, "mnist");
  EXPECT_EQ(split.train.size(), 5000U);
  EXPECT_EQ(split.upper.size(), 1000U);
  EXPECT_EQ(split.select.size(), 1000U);
  EXPECT_EQ(split.test.size(), 5000U);
  std::set<std::int64_t> all;
  for (const auto* part : {&split.train, &split.upper, &split.select, &split.test}) {
    all.insert(part->begin(), part->end());
  }
  EXPECT_EQ(all.size(), 12000U);
  EXPECT_GE(*all.begin(), 0);
  EXPECT_LT(*all.rbegin(), 60000);
}

TEST(Split, TheSeedDecides) {
  EXPECT_EQ(draw_split(60000, {}, 3, "").train, draw_split(60000, {}, 3, "").train);
  EXPECT_NE(draw_split(60000, {}, 3, "").train, draw_split(60000, {}, 4, "").train);
}

TEST(Split, DrawsFromTheWholeFile) {
  const Split split = draw_split(60000, {}, 0, "");
  double sum = 0;
  for (const auto i : split.train) sum += static_cast<double>(i);
  EXPECT_NEAR(sum / 5000, 29999.5, 5 * 60000 / std::sqrt(12.0 * 5000));  // five deviations of the mean
}

TEST(Split, AllSamplesMayBeUsedAndNoMore) {
  const SplitSizes sizes{4, 3, 2, 1};
  EXPECT_EQ(draw_split(10, sizes, 0, "").test.size(), 1U);
  try {
    draw_split(9, sizes, 0, "tiny");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_NE(std::string(error.what()).find("tiny: has 9 samples"), std::string::npos) << error.what();
  }
}

class CorruptionTest : public ::testing::TestWithParam<double> {};

TEST_P(CorruptionTest, ExactlyTheShareMovesToAnotherClass) {
  const auto truth = labels(5000, 10);
  const auto out = corrupt_labels(truth, 10, GetParam(), LabelNoise::other_class, 7);
  EXPECT_EQ(count(out.wrong), std::llround(5000 * GetParam()));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_EQ(out.wrong[i], out.labels[i] != truth[i]);
    EXPECT_GE(out.labels[i], 0);
    EXPECT_LT(out.labels[i], 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Shares, CorruptionTest, ::testing::Values(0.0, 0.1, 0.5, 1.0));

TEST(Corruption, EveryOtherClassIsAsLikely) {
  const std::vector<std::int64_t> truth(90000, 4);
  const auto out = corrupt_labels(truth, 10, 1, LabelNoise::other_class, 0);
  for (std::int64_t label = 0; label < 10; ++label) {
    const auto drawn = static_cast<double>(std::count(out.labels.begin(), out.labels.end(), label));
    EXPECT_NEAR(drawn, label == 4 ? 0 : 10000, label == 4 ? 0 : 500) << label;  // five deviations
  }
}

TEST(Corruption, AmongAllClassesATenthStaysRightAndIsNotCalledWrong) {
  const auto truth = labels(100000, 10);
  const auto out = corrupt_labels(truth, 10, 0.5, LabelNoise::any_class, 0);
  EXPECT_NEAR(static_cast<double>(count(out.wrong)), 45000, 400);
  for (std::size_t i = 0; i < truth.size(); ++i) EXPECT_EQ(out.wrong[i], out.labels[i] != truth[i]);
}

TEST(Corruption, TheSeedDecides) {
  const auto truth = labels(1000, 10);
  const auto draw = [&](std::uint64_t seed) {
    return corrupt_labels(truth, 10, 0.5, LabelNoise::other_class, seed).labels;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

TEST(Digest, AgreesWithSha256sum) {
  const std::string text = "abc";  // FIPS 180-2, appendix B.1
  EXPECT_EQ(sha256(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // python3 -c "import hashlib,struct; print(hashlib.sha256(struct.pack('<3q', 1, -1, 60000)).hexdigest())"
  EXPECT_EQ(sha256(std::vector<std::int64_t>{1, -1, 60000}),
            "3fda8f7f42f9511de33334be6cb4a2addb0596f968fef49e65e43e16132e3d2a");
}

}  // namespace
}  // namespace moblo::lab::data
