#include "lab/readers/resample.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/data/digest.hpp"

namespace moblo::lab::readers {
namespace {

Picture made(std::int64_t height, std::int64_t width) {
  Picture picture{height, width, 3, {}};
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t c = 0; c < 3; ++c) {
        picture.pixels.push_back(static_cast<std::uint8_t>((x * 37 + y * 91 + c * 53 + x * y % 29 * 3) % 256));
      }
    }
  }
  return picture;
}

struct Golden {
  std::int64_t height, width, new_height, new_width;
  std::string sha256;  ///< the first digits
  std::array<int, 3> last;
};

/// Of numpy.array(Image.fromarray(made).resize((new_width, new_height), Image.BILINEAR)), Pillow 9.4.
const std::vector<Golden> pillow{{17, 13, 7, 5, "cbf92022d6ef83f1", {119, 122, 113}},
                                 {17, 13, 30, 20, "6dfa0e8341df38eb", {162, 215, 12}},
                                 {300, 300, 224, 224, "764534b25d14a81b", {143, 196, 124}},
                                 {480, 640, 224, 224, "69b9a12bd27e4f10", {116, 119, 154}},
                                 {40, 9, 12, 9, "93e593df656ceb64", {130, 87, 140}},
                                 {9, 40, 20, 11, "fd9f8737efc47df7", {111, 164, 165}}};

TEST(Resample, BytesAreThoseOfPillow) {
  for (const auto& golden : pillow) {
    const auto out = resampled(made(golden.height, golden.width), golden.new_height, golden.new_width);
    ASSERT_EQ(out.pixels.size(), static_cast<std::size_t>(golden.new_height * golden.new_width * 3));
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(out.pixels[out.pixels.size() - 3 + c], golden.last[c]);
    EXPECT_EQ(data::sha256(out.pixels).substr(0, 16), golden.sha256) << golden.height << " x " << golden.width;
  }
}

TEST(Resample, FloatsAgreeWithBytesUpToRounding) {
  const auto picture = made(61, 47);
  Plane plane{61, 47, {}};
  for (std::size_t i = 0; i < picture.pixels.size(); i += 3) plane.values.push_back(picture.pixels[i]);
  for (const auto& [height, width] : {std::pair{20, 17}, std::pair{100, 30}, std::pair{61, 47}}) {
    const auto bytes = resampled(picture, height, width);
    const auto floats = resampled(plane, height, width);
    for (std::size_t i = 0; i < floats.values.size(); ++i) {
      EXPECT_NEAR(floats.values[i], bytes.pixels[3 * i], 1.01);  // two roundings
    }
  }
}

TEST(Resample, AFlatPlaneStaysFlat) {
  const Plane flat{30, 40, std::vector<float>(1200, 0.75F)};
  for (const float value : resampled(flat, 7, 55).values) EXPECT_FLOAT_EQ(value, 0.75F);
}

TEST(NearestPixels, LieInTheMiddle) {
  EXPECT_EQ(nearest_pixels(4, 2), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(nearest_pixels(3, 3), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(nearest_pixels(2, 4), (std::vector<std::int64_t>{0, 0, 1, 1}));
  EXPECT_EQ(nearest_pixels(640, 128).back(), 637);
}

}  // namespace
}  // namespace moblo::lab::readers
