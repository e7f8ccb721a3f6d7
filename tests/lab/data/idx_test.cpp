#include "lab/data/idx.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "tests/lab/readers/made_data.hpp"

namespace moblo::lab::data {
namespace {

using readers::testing::idx_bytes;
using readers::testing::TemporaryFolder;
using readers::testing::write_gzip;
using readers::testing::write_raw;

/// What the refusal says, or nothing where it was read.
template <class Read>
std::string refusal(const Read& read) {
  try {
    read();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
}

void expect_refused(const Bytes& content, std::size_t rank, const std::string& rule) {
  const std::string parsed = refusal([&] { parse_idx(content, rank, "some-file"); });
  EXPECT_NE(parsed.find("some-file"), std::string::npos) << parsed;
  EXPECT_NE(parsed.find(rule), std::string::npos) << parsed;
  const TemporaryFolder folder;
  for (const auto& file : {lab::readers::testing::write_raw(folder.path() / "raw", content),
                           lab::readers::testing::write_gzip(folder.path() / "gz", content)}) {
    const std::string read = refusal([&] { read_idx(file, rank); });
    EXPECT_NE(read.find(file.string()), std::string::npos) << read;
    EXPECT_NE(read.find(rule), std::string::npos) << read;
  }
}

TEST(Idx, ReadsRawAndCompressedAlike) {
  const TemporaryFolder folder;
  const auto content = lab::readers::testing::idx_bytes({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255});
  for (const auto& file : {lab::readers::testing::write_raw(folder.path() / "raw", content),
                           lab::readers::testing::write_gzip(folder.path() / "gz", content)}) {
    const auto array = read_idx(file, 3);
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3, 2}));
    EXPECT_EQ(array.values, (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255}));
  }
}

TEST(Idx, ReadsAnArrayOfManyPieces) {
  const TemporaryFolder folder;
  Bytes values(3 << 20);
  Rng rng(1);
  for (auto& value : values) value = static_cast<std::uint8_t>(rng.next());
  const auto content = lab::readers::testing::idx_bytes({3, 1024, 1024}, values);
  EXPECT_EQ(read_idx(lab::readers::testing::write_gzip(folder.path() / "gz", content), 3).values, values);
}

TEST(Idx, ChecksumIsThatOfTheWholeFile) {
  // printf '\0\0\x08\x01\0\0\0\x03abc' | sha256sum
  const auto array = parse_idx(lab::readers::testing::idx_bytes({3}, {'a', 'b', 'c'}), 1, "abc");
  EXPECT_EQ(array.sha256, "379a7afbfd9f0de0a36184463dd209c260f4582821ea2e5e4c40c7eb713dbda2");
}

TEST(Idx, EveryTruncationIsRefused) {
  const auto whole = lab::readers::testing::idx_bytes({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const std::string said = refusal([&] { parse_idx(part, 3, "part"); });
    EXPECT_NE(said.find("part: "), std::string::npos) << length;
  }
}

TEST(Idx, EveryTruncationOfACompressedFileIsRefused) {
  const TemporaryFolder folder;
  const auto file = lab::readers::testing::write_gzip(
      folder.path() / "gz", lab::readers::testing::idx_bytes({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  const auto size = std::filesystem::file_size(file);
  for (auto length = size; length-- > 0;) {
    std::filesystem::resize_file(file, length);
    EXPECT_NE(refusal([&] { read_idx(file, 3); }), "") << length << " of " << size;
  }
}

TEST(Idx, AFlippedBitInACompressedFileIsNeverReadAsOtherData) {
  const TemporaryFolder folder;
  const Bytes values{1, 2, 3, 4, 5, 6, 7, 8};
  const auto file =
      lab::readers::testing::write_gzip(folder.path() / "gz", lab::readers::testing::idx_bytes({2, 2, 2}, values));
  Bytes compressed(std::filesystem::file_size(file));
  std::ifstream(file, std::ios::binary)
      .read(reinterpret_cast<char*>(compressed.data()), static_cast<std::streamsize>(compressed.size()));
  for (std::size_t bit = 0; bit < 8 * compressed.size(); ++bit) {
    auto damaged = compressed;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    lab::readers::testing::write_raw(file, damaged);
    try {
      EXPECT_EQ(read_idx(file, 3).values, values) << bit;  // gzip's header has bits that do not matter
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data) << bit;
    }
  }
}

TEST(Idx, RefusalsNameFileAndRule) {
  expect_refused({0, 0}, 1, "2 bytes, too few for an IDX header");
  expect_refused({'P', 'N', 'G', 1, 0, 0, 0, 0}, 1, "is not an IDX file");
  expect_refused(lab::readers::testing::idx_bytes({2}, {1, 2}, 0x0D), 1, "type code 0x0d");
  expect_refused(idx_bytes({2}, {1, 2}), 3, "has 1 dimensions instead of 3");
  expect_refused({0, 0, 8, 3, 0, 0, 0, 1}, 3, "ends within its header");
  expect_refused(idx_bytes({0}, {}), 1, "size of 0 in dimension 1");
  expect_refused(idx_bytes({2, 0, 2}, {}), 3, "size of 0 in dimension 2");
  expect_refused(idx_bytes({3}, {1, 2}), 1, "is cut short");
  expect_refused(idx_bytes({2}, {1, 2, 3}), 1, "is longer than");
  expect_refused(idx_bytes({0xffffffff, 0xffffffff, 0xffffffff}, {1}), 3, "claims more than");
  expect_refused(idx_bytes({0x10000, 0x10000, 0x10000}, {1}), 3, "claims more than");  // the product is 2^48
  expect_refused(idx_bytes({0x80000000, 2, 0x80000000}, {1}), 3, "claims more than");  // 2^63
}

std::int64_t peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Idx, ALyingHeaderCostsNoMemory) {
  const TemporaryFolder folder;
  const auto file = lab::readers::testing::write_raw(folder.path() / "liar",
                                                     lab::readers::testing::idx_bytes({1000, 1000, 1000}, {1, 2, 3}));
  const auto before = peak_kilobytes();
  EXPECT_NE(refusal([&] { read_idx(file, 3); }), "");
  EXPECT_LT(peak_kilobytes() - before, 100 * 1024);  // it claims a thousand megabytes
}

TEST(Idx, AFileThatUnpacksToFarMoreThanItsHeaderSaysIsLeftAtOnce) {
  const TemporaryFolder folder;
  auto bomb = lab::readers::testing::idx_bytes({2, 2, 2}, {});
  bomb.resize(64 << 20);
  const auto file = lab::readers::testing::write_gzip(folder.path() / "bomb", bomb);
  Bytes().swap(bomb);
  EXPECT_LE(read_file_bytes(file, largest_idx_file, [](const Bytes&) { return 24; }).size(), 1U << 18);
  EXPECT_NE(refusal([&] { read_idx(file, 3); }).find("is longer than the 24 bytes"), std::string::npos);
}

TEST(Idx, WhatIsNoFileIsRefused) {
  const TemporaryFolder folder;
  EXPECT_NE(refusal([&] { read_idx(folder.path() / "none", 1); }).find("does not exist"), std::string::npos);
  EXPECT_NE(refusal([&] { read_idx(folder.path(), 1); }).find("not a regular file"), std::string::npos);
}

TEST(LabelledImages, ImagesAndLabelsMustAgree) {
  const TemporaryFolder folder;
  const auto images = lab::readers::testing::write_raw(folder.path() / "images",
                                                       lab::readers::testing::idx_bytes({2, 1, 2}, {1, 2, 3, 4}));
  const auto labels = write_raw(folder.path() / "labels", idx_bytes({2}, {9, 0}));
  const auto read = read_labelled_images(images, labels, 10);
  EXPECT_EQ(read.count, 2);
  EXPECT_EQ(read.pixels_an_image(), 2);
  EXPECT_EQ(read.labels, (Bytes{9, 0}));

  const auto three = write_raw(folder.path() / "three", idx_bytes({3}, {1, 2, 3}));
  EXPECT_NE(refusal([&] { read_labelled_images(images, three, 10); }).find("3 labels for the 2 images"),
            std::string::npos);
  EXPECT_NE(refusal([&] { read_labelled_images(images, labels, 9); }).find("label 9 of sample 0"), std::string::npos);
}

}  // namespace
}  // namespace moblo::lab::data
