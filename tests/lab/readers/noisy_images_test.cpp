#include <opencv2/imgcodecs.hpp>

#include "lab/readers/picture.hpp"
#include "moblo/base/rng.hpp"
#include "tests/lab/readers/noisy_files.hpp"

namespace moblo::lab::readers::noisy_images_test {
namespace {

using testing::Content;
using testing::expect_says;
using testing::refusal_of;
using testing::source_of;
using testing::TemporaryFolder;
using testing::write_raw;
using testing::write_text;

/// A picture of one colour (grey where the three are equal and `colour` is false).
Content encoded(const char* format, int height, int width, cv::Scalar bgr, bool colour = true) {
  std::vector<std::uint8_t> bytes;
  cv::imencode(format, cv::Mat(height, width, colour ? CV_8UC3 : CV_8UC1, bgr), bytes);
  return bytes;
}

const cv::Scalar red(0, 0, 255), grey(102, 102, 102);

/// 24 images in the folders a and b.
void make_folder(const std::filesystem::path& folder, int height, int width, bool colour) {
  for (int i = 0; i < 24; ++i) {
    write_raw(folder / (i % 2 ? "a" : "b") / fmt::format("{:02}.png", i), encoded(".png", height, width, grey, colour));
  }
}

std::string ids(std::initializer_list<int> numbers) {
  std::string text;
  for (const int i : numbers) text += fmt::format("{}/{:02}.png\n", i % 2 ? "a" : "b", i);
  return text;
}

TEST(Picture, EveryFormatIsDecodedInItsColours) {
  std::string why;
  for (const char* format : {".png", ".bmp", ".jpg"}) {
    const auto picture = decode_picture(encoded(format, 10, 20, red), 0, why);
    ASSERT_TRUE(picture) << format << why;
    EXPECT_EQ(picture->height, 10);
    EXPECT_EQ(picture->width, 20);
    ASSERT_EQ(picture->channels, 3);
    EXPECT_GE(picture->pixels[0], 250) << "red comes first";
    EXPECT_LE(picture->pixels[2], 5);
  }
  EXPECT_EQ(decode_picture(encoded(".png", 4, 4, grey, false), 0, why)->channels, 1);
  EXPECT_EQ(decode_picture(encoded(".jpg", 4, 4, grey, false), 0, why)->channels, 1);
  EXPECT_EQ(decode_picture(encoded(".jpg", 1000, 1200, red), 50, why)->height, 125) << "an eighth";
}

TEST(Picture, EveryTruncationIsRefused) {
  for (const char* format : {".png", ".bmp", ".jpg"}) {
    const auto whole = encoded(format, 16, 16, red);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      std::string why;
      const Content part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      EXPECT_FALSE(decode_picture(part, 0, why)) << format << length;
      EXPECT_NE(why, "");
    }
  }
}

TEST(Picture, NoBytesMakeItCrash) {
  Rng rng(1);
  for (const char* format : {".png", ".bmp", ".jpg"}) {
    const auto whole = encoded(format, 16, 16, red);
    for (int round = 0; round < 300; ++round) {
      auto damaged = whole;
      for (std::uint64_t changes = 1 + rng.below(4); changes-- > 0;) {
        damaged[rng.below(std::min<std::size_t>(damaged.size(), 200))] = static_cast<std::uint8_t>(rng.next());
      }
      std::string why;
      decode_picture(damaged, 0, why);
    }
  }
}

TEST(Picture, SizesThatAHeaderOnlyClaimsAreNotAllocated) {
  auto png = encoded(".png", 16, 16, red);
  png[16] = png[20] = 0x40;  // width and height of 2^30 and a little
  const auto sum = crc32(0, png.data() + 12, 17);
  for (int i = 0; i < 4; ++i) png[static_cast<std::size_t>(29 + i)] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
  std::string why;
  EXPECT_FALSE(inspect_picture(png, why));
  expect_says(why, {"claims 1073741840 x 1073741840 pixels"});
}

TEST(Picture, SizesBeyondWhatTheBytesCanHoldAreNotAllocated) {
  auto png = encoded(".png", 16, 16, red);
  png[18] = png[22] = 0x1F;  // 7952 x 7952
  const auto sum = crc32(0, png.data() + 12, 17);
  for (int i = 0; i < 4; ++i) png[static_cast<std::size_t>(29 + i)] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
  std::string why;
  EXPECT_FALSE(inspect_picture(png, why));
  expect_says(why, {"claims 7952 x 7952 pixels, more than its", "bytes can hold"});

  auto jpeg = encoded(".jpg", 16, 16, red);
  EXPECT_TRUE(inspect_picture(jpeg, why));
  const std::uint8_t scan[] = {0xFF, 0xDA};
  for (int i = 0; i < 100; ++i) jpeg.insert(jpeg.end() - 2, scan, scan + 2);
  EXPECT_FALSE(inspect_picture(jpeg, why));
  expect_says(why, {"more scans than are read"});
}

TEST(Picture, ShrinkingAveragesAreas) {
  Picture board{64, 64, 1, {}};  // a chess board of single pixels: any sampling of points would be black or white
  for (int i = 0; i < 64 * 64; ++i) board.pixels.push_back((i + i / 64) % 2 ? 255 : 0);
  for (const auto pixel : resized(board, 16, 16).pixels) EXPECT_NEAR(pixel, 127.5, 1);
  for (const auto pixel : resized(board, 128, 16).pixels) EXPECT_NEAR(pixel, 127.5, 1);
  EXPECT_EQ(resized(board, 64, 64).pixels, board.pixels);
}

TEST(NoisyImages, AFolderWithOneSubFolderAClass) {
  const TemporaryFolder folder;
  const auto images = folder.path() / "images";
  make_folder(images, 12, 9, false);
  write_text(images / "a" / "notes.md", "x");
  write_text(images / "a" / ".hidden", "x");
  ReadingNotes notes;
  const auto source = source_of(images, write_text(folder.path() / "ids.txt", ids({0, 1, 5})));
  const auto read = read_noisy_dataset(source, &notes);
  EXPECT_TRUE(read.image);
  EXPECT_EQ(read.size(), 24);
  EXPECT_EQ(read.shape, (std::vector<std::int64_t>{12, 9}));
  EXPECT_EQ(read.classes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read.ids[0], "a/01.png");
  EXPECT_TRUE(read.trusted[0] && !read.trusted[1]);
  for (const float pixel : read.inputs) EXPECT_FLOAT_EQ(pixel, 0.4F);
  ASSERT_EQ(notes.size(), 2U);
  expect_says(notes[0], {"1 files", "left out"});
  expect_says(notes[1], {"24 images, 9 x 12 pixels, grey"});
}

TEST(NoisyImages, SizesAndColoursAreBroughtTogether) {
  const auto shape_with = [](int height, int width, std::int64_t side) {
    const TemporaryFolder folder;
    make_folder(folder.path() / "images", 12, 12, false);
    write_raw(folder.path() / "images" / "a" / "other.png", encoded(".png", height, width, red));
    auto source = source_of(folder.path() / "images", write_text(folder.path() / "ids.txt", ids({0, 1})));
    source.image_size = side;
    return read_noisy_dataset(source).shape;
  };
  EXPECT_EQ(shape_with(12, 12, 0), (std::vector<std::int64_t>{12, 12, 3}));
  EXPECT_EQ(shape_with(20, 30, 0), (std::vector<std::int64_t>{28, 28, 3}));
  EXPECT_EQ(shape_with(40, 20, 0), (std::vector<std::int64_t>{40, 40, 3}));
  EXPECT_EQ(shape_with(100, 300, 0), (std::vector<std::int64_t>{64, 64, 3}));
  EXPECT_EQ(shape_with(100, 300, 16), (std::vector<std::int64_t>{16, 16, 3}));
}

TEST(NoisyImages, AListOfLinesOrATable) {
  const TemporaryFolder folder;
  make_folder(folder.path(), 5, 5, false);
  std::string lines, table = "label,path,trusted\n";
  for (int i = 0; i < 24; ++i) {
    const std::string file = fmt::format("{}/{:02}.png", i % 2 ? "a" : "b", i);
    lines += fmt::format("{} {} {}\n", file, i % 3 ? "x" : "y", i < 6);
    table += fmt::format("{},\"{}\",{}\n", i % 3 ? "x" : "y", file, i < 6);
  }
  for (const auto& list :
       {write_text(folder.path() / "list.txt", lines), write_text(folder.path() / "list.csv", table)}) {
    const auto read = read_noisy_dataset(source_of(list));
    EXPECT_EQ(read.size(), 24);
    EXPECT_EQ(read.classes, (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(read.labels[3], 1);
    EXPECT_EQ(std::count(read.trusted.begin(), read.trusted.end(), true), 6);
    EXPECT_EQ(read.ids[1], "a/01.png");
  }
  const auto refusal = [&](const std::string& text) {
    return refusal_of(source_of(write_text(folder.path() / "l.txt", text)));
  };
  expect_says(refusal("a/01.png x 1\na/03.png\n"), {"row 2: the label is missing"});
  expect_says(refusal("a/01.png x 1\na/01.png x 1\n"), {"row 2: 'a/01.png' stands in row 1 already"});
  expect_says(refusal("a/01.png x maybe\n"), {"row 1: 'maybe' is none of"});
  expect_says(refusal("a/01.png x 1 2\n"), {"row 1: 4 words"});
  expect_says(refusal("a/01.png x\nnowhere.png x\n"), {"row 2: ", "nowhere.png does not exist"});
  expect_says(refusal(""), {"is empty"});
}

TEST(NoisyImages, TrustedImagesFromAnotherPlace) {
  const TemporaryFolder folder;
  make_folder(folder.path() / "noisy", 5, 5, false);
  make_folder(folder.path() / "right", 5, 5, false);
  const auto both = read_noisy_dataset(source_of(folder.path() / "noisy", folder.path() / "right"));
  EXPECT_EQ(both.size(), 48);
  EXPECT_EQ(both.ids[24], "trusted:a/01.png") << "another file of the same name";
  EXPECT_TRUE(both.trusted[24] && !both.trusted[0]);
  ReadingNotes notes;
  const auto list = write_text(folder.path() / "checked.txt", "noisy/a/01.png b\nnoisy/a/03.png a\n");
  const auto replaced = read_noisy_dataset(source_of(folder.path() / "noisy", list), &notes);
  EXPECT_EQ(replaced.size(), 24) << "the same files";
  EXPECT_EQ(replaced.labels[0], 1);
  EXPECT_EQ(replaced.ids[0], "a/01.png");
  expect_says(notes[0], {"2 images of"});
}

TEST(NoisyImages, UnreadableImagesAreNamedTogether) {
  const TemporaryFolder folder;
  const auto images = folder.path() / "images";
  make_folder(images, 5, 5, false);
  write_text(images / "a" / "empty.png", "");
  write_text(images / "b" / "text.jpg", "no image");
  auto cut = encoded(".jpg", 64, 64, red);
  cut.resize(cut.size() - 9);
  write_raw(images / "b" / "cut.jpg", cut);
  expect_says(refusal_of(source_of(images)),
              {"3 problems", "a/empty.png is empty", "b/text.jpg is not a PNG", "b/cut.jpg is a truncated JPEG"});
  std::filesystem::create_directory(folder.path() / "nothing");
  expect_says(refusal_of(source_of(folder.path() / "nothing")), {"holds no sub-folder"});
}

TEST(NoisyImages, ATestSetTakesTheShapeOfTheData) {
  const TemporaryFolder folder;
  make_folder(folder.path() / "noisy", 5, 5, false);
  make_folder(folder.path() / "test", 30, 40, true);
  const auto source = source_of(folder.path() / "noisy", write_text(folder.path() / "ids.txt", ids({0, 1})));
  const auto dataset = read_noisy_dataset(source);
  const auto test = read_test_set(source_of(folder.path() / "test"), dataset);
  EXPECT_EQ(test.shape, dataset.shape);
  EXPECT_EQ(test.size(), 24);
  EXPECT_FLOAT_EQ(test.inputs[0], 0.4F);
  write_raw(folder.path() / "test" / "c" / "1.png", encoded(".png", 5, 5, grey));
  EXPECT_THROW(read_test_set(source_of(folder.path() / "test"), dataset), Error);
}

}  // namespace
}  // namespace moblo::lab::readers::noisy_images_test
