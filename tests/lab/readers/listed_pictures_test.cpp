#include "lab/readers/listed_pictures.hpp"

#include <gtest/gtest.h>

#include "moblo/base/error.hpp"
#include "tests/lab/readers/made_pictures.hpp"
#include "tests/lab/readers/noisy_files.hpp"

namespace moblo::lab::readers {
namespace {

using testing::expect_says;
using testing::TemporaryFolder;
using testing::write_colour;
using testing::write_text;

class ListedPictures : public ::testing::Test {
 protected:
  ListedPictures() {
    options_.side = 8;
    options_.classes = 3;
    options_.cache_folder = folder_.path() / "cache";
    write_colour(root() / "amazon/images/a mug/1.png", 20, 30, 255, 0, 0);
    write_colour(root() / "amazon/images/lamp/1.png", 9, 9, 0, 102, 204);
    list("amazon/images/a mug/1.png 2\n\namazon/images/lamp/1.png\t0\r\n");
  }

  std::filesystem::path root() const { return folder_.path() / "office31"; }
  void list(const std::string& text) { write_text(root() / "split/amazon_train.txt", text); }
  LabelledPictures read() { return read_office31(root(), "amazon", "train", options_, notes_); }
  std::string refusal() {
    return testing::refusal_when([this] { read(); });
  }

  TemporaryFolder folder_;
  ListedPicturesOptions options_;
  std::vector<std::string> notes_;
};

TEST_F(ListedPictures, AreBroughtToOneSizeInTheOrderOfTheList) {
  const auto pictures = read();
  ASSERT_EQ(pictures.count, 2);
  EXPECT_EQ(pictures.labels, (std::vector<std::int64_t>{2, 0}));
  ASSERT_EQ(pictures.pixels.size(), 2U * 8 * 8 * 3);
  EXPECT_EQ(pictures.pixels[0], 255);
  EXPECT_EQ(pictures.pixels[1], 0);
  EXPECT_EQ(pictures.pixels[8 * 8 * 3 + 1], 102);
  EXPECT_EQ(pictures.pixels.back(), 204);
}

TEST_F(ListedPictures, TheCacheHoldsWhatWasDecoded) {
  const auto fresh = read();
  EXPECT_TRUE(std::filesystem::exists(options_.cache_folder));
  const auto kept = read();
  EXPECT_EQ(fresh.pixels, kept.pixels);
  EXPECT_EQ(fresh.sha256, kept.sha256);
  write_colour(root() / "amazon/images/lamp/1.png", 9, 9, 1, 2, 3);  // the list is the same, an image is not
  const auto changed = read();
  EXPECT_EQ(changed.pixels.back(), 3);
  EXPECT_NE(changed.sha256, fresh.sha256);
  options_.cache = false;
  EXPECT_EQ(read().pixels, changed.pixels);
  options_.threads = 1;
  EXPECT_EQ(read().pixels, changed.pixels);
}

TEST_F(ListedPictures, BadLinesAreNamed) {
  list("a.png 1\nno_label\nb.png 3\nc.png -1\nd.png x\n");
  expect_says(refusal(), {"amazon_train.txt: 4 problems", "row 2: 'no_label' is not a 'path label'",
                          "row 3: label 3 is none of the classes 0 to 2", "row 4: label -1", "row 5: 'd.png x'"});
  list("\n\n");
  expect_says(refusal(), {"amazon_train.txt", "is empty"});
}

TEST_F(ListedPictures, BadImagesAreNamedWithTheirLines) {
  list("amazon/images/lamp/1.png 0\nmissing.png 1\ncut.png 1\ntext.png 1\n");
  const auto whole = testing::Content{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0};
  testing::write_raw(root() / "cut.png", whole);
  write_text(root() / "text.png", "no image");
  const auto said = refusal();
  expect_says(said, {"row 2: ", "missing.png"});
  list("amazon/images/lamp/1.png 0\ncut.png 1\ntext.png 1\n");
  expect_says(refusal(), {"2 problems", "row 2: ", "cut.png is a truncated or damaged PNG",
                          "row 3: ", "text.png is not a PNG, JPEG or BMP"});
}

TEST_F(ListedPictures, UnknownDomainsAndPartsAreRefused) {
  EXPECT_THROW(read_office31(root(), "amazone", "train", options_, notes_), Error);
  EXPECT_THROW(read_office31(root(), "amazon", "validation", options_, notes_), Error);
}

TEST(NormalisePixels, GivesPlanesOfWhatImagenetExpects) {
  const std::vector<std::uint8_t> pixels{255, 0, 0, 0, 0, 255};
  std::vector<float> planes(6);
  normalise_pixels(pixels, planes);
  EXPECT_FLOAT_EQ(planes[0], (1 - 0.485F) / 0.229F);
  EXPECT_FLOAT_EQ(planes[1], -0.485F / 0.229F);
  EXPECT_FLOAT_EQ(planes[2], -0.456F / 0.224F);
  EXPECT_FLOAT_EQ(planes[5], (1 - 0.406F) / 0.225F);
  std::vector<float> few(5);
  EXPECT_THROW(normalise_pixels(pixels, few), Error);
}

}  // namespace
}  // namespace moblo::lab::readers
