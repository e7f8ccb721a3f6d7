#include "lab/readers/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/metrics/normals.hpp"
#include "lab/readers/surface_normals.hpp"
#include "moblo/base/error.hpp"
#include "tests/lab/readers/made_arrays.hpp"
#include "tests/lab/readers/made_pictures.hpp"

namespace moblo::lab::readers {
namespace {

using testing::array;
using testing::expect_says;
using testing::TemporaryFolder;
using testing::write_colour;
using testing::write_grey;
using testing::write_raw;
using testing::write_text;

/// The depth of the plane n . P = distance that a camera sees, in steps of `step` metres (0 = exact).
Plane seen_plane(const std::array<double, 3>& n, double distance, const Camera& camera, double step) {
  Plane depth{kinect_height, kinect_width, {}};
  for (std::int64_t y = 0; y < kinect_height; ++y) {
    for (std::int64_t x = 0; x < kinect_width; ++x) {
      const double u = (static_cast<double>(x) - camera.centre_x) / camera.focal_x,
                   v = (static_cast<double>(y) - camera.centre_y) / camera.focal_y;
      const double z = distance / (n[0] * u + n[1] * v + n[2]);
      depth.values.push_back(static_cast<float>(step > 0 ? std::round(z / step) * step : z));
    }
  }
  return depth;
}

double mean_error(const std::array<double, 3>& n, double distance, double step) {
  const Camera camera = kinect_for(kinect_height, kinect_width, true);
  const auto rows = nearest_pixels(kinect_height, 24), columns = nearest_pixels(kinect_width, 32);
  const auto normals = normals_from_depth(seen_plane(n, distance, camera, step), camera, rows, columns);
  std::vector<float> truth, found;
  for (std::size_t i = 0; i < 3; ++i) {
    truth.insert(truth.end(), normals[i].size(), static_cast<float>(-n[i]));
    found.insert(found.end(), normals[i].begin(), normals[i].end());
  }
  metrics::NormalAngles angles;
  angles.add(truth, found, static_cast<std::int64_t>(normals[0].size()));
  return angles.mean();
}

TEST(SurfaceNormals, OfExactPlanesAreExact) {
  EXPECT_LT(mean_error({0, 0, 1}, 3, 0), 0.01);
  EXPECT_LT(mean_error({0.6, 0, 0.8}, 3, 0), 0.01);
  EXPECT_LT(mean_error({-0.36, 0.48, 0.8}, 2, 0), 0.01);
}

TEST(SurfaceNormals, StepsOfFourCentimetresCostFewDegrees) {
  EXPECT_LT(mean_error({0, 0, 1}, 3, 0.04), 0.01);
  EXPECT_LT(mean_error({0.6, 0, 0.8}, 3, 0.04), 4);
  EXPECT_LT(mean_error({-0.36, 0.48, 0.8}, 2, 0.04), 6);
}

TEST(SurfaceNormals, EdgesBetweenSurfacesStaySharp) {
  const Camera camera = kinect_for(kinect_height, kinect_width, false);
  const std::array<double, 3> slanted{0.6, 0, 0.8};
  Plane depth = seen_plane(slanted, 2, camera, 0);
  for (std::int64_t i = 0; i < kinect_height * kinect_width; ++i) {
    if (i % kinect_width >= 320) depth.values[static_cast<std::size_t>(i)] = 5;  // a wall far behind
  }
  const auto normals = normals_from_depth(depth, camera, {240}, {312, 330});
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(normals[k][0], -slanted[k], 1e-3);
  EXPECT_NEAR(normals[2][1], -1, 1e-3);
}

TEST(SurfaceNormals, AreUnknownWhereNothingWasMeasured) {
  Plane depth{480, 640, std::vector<float>(480 * 640, 0)};
  depth.values[240 * 640 + 320] = 2;
  const auto normals = normals_from_depth(depth, kinect, {100, 240}, {320});
  for (const auto& plane : normals) EXPECT_EQ(plane, (std::vector<float>{0, 0}));
}

TEST(SurfaceNormals, TheCameraFollowsTheSizeAndTheMirror) {
  const Camera half = kinect_for(240, 320, false), mirrored = kinect_for(480, 640, true);
  EXPECT_DOUBLE_EQ(half.focal_x, 259.43);
  EXPECT_DOUBLE_EQ(half.centre_x, (325.58 + 0.5) / 2 - 0.5);
  EXPECT_DOUBLE_EQ(mirrored.centre_x, 639 - 325.58);
  EXPECT_DOUBLE_EQ(mirrored.centre_y, kinect.centre_y);
}

class ScenesTest : public ::testing::Test {
 protected:
  ScenesTest() {
    options_.height = 4;
    options_.width = 6;
    options_.cache_folder = folder_.path() / "cache";
  }

  std::filesystem::path root() const { return folder_.path() / "nyuv2"; }

  void make_triple(const std::string& id, int red, int level, int label) {
    write_colour(root() / "image" / (id + ".jpg"), 48, 64, red, 128, 128);
    write_grey(root() / "depth" / (id + ".png"), 48, 64, [&](int, int x) { return x < 10 ? 0 : level; });
    write_grey(root() / "label13" / (id + ".png"), 48, 64, [&](int y, int) { return y < 24 ? label : 0; });
  }

  void make_triples() {
    make_triple("7", 255, 51, 13);
    make_triple("12", 0, 102, 1);
    write_text(root() / "train.txt", "7\n12\n");
  }

  void make_arrays(int scene, bool with_normals) {
    const std::string name = fmt::format("{}.npy", scene);
    write_raw(root() / "train/image" / name, array("<f8", "(8, 12, 3)", std::vector<double>(288, 0.25)));
    write_raw(root() / "train/label" / name, array("<f4", "(8, 12)", std::vector<float>(96, scene == 0 ? -1 : 12)));
    write_raw(root() / "train/depth" / name, array("<f4", "(8, 12, 1)", std::vector<float>(96, 2.5F)));
    std::vector<float> normals;
    for (int i = 0; i < 96; ++i) normals.insert(normals.end(), {0, i < 48 ? 0.0F : -3.0F, i < 48 ? 0.0F : 4.0F});
    if (with_normals) write_raw(root() / "train/normal" / name, array("<f4", "(8, 12, 3)", normals));
  }

  Scenes read() { return read_scenes(root(), ScenesPart::train, options_, notes_); }
  std::string refusal() {
    return testing::refusal_when([this] { read(); });
  }

  TemporaryFolder folder_;
  ScenesOptions options_;
  std::vector<std::string> notes_;
};

TEST_F(ScenesTest, TriplesBecomeTensorsInOrder) {
  make_triples();
  const Scenes scenes = read();
  ASSERT_EQ(scenes.count, 2);
  ASSERT_EQ(scenes.images.size(), 2U * 3 * 24);
  EXPECT_NEAR(scenes.images[0], 1, 0.02);
  EXPECT_NEAR(scenes.images[24], 0.5, 0.02);
  EXPECT_NEAR(scenes.images[72], 0, 0.02);
  EXPECT_EQ(scenes.labels[0], 12);
  EXPECT_EQ(scenes.labels[24], 0);
  EXPECT_EQ(scenes.labels[23], -1);  // level 0 is void
  EXPECT_EQ(scenes.depths[0], 0);    // not measured
  EXPECT_NEAR(scenes.depths[5], 2, 1e-6);
  EXPECT_NEAR(scenes.depths[24 + 5], 4, 1e-6);
  EXPECT_EQ(scenes.normals[2 * 24], 0);
  EXPECT_NEAR(scenes.normals[2 * 24 + 5], -1, 1e-5);  // a wall before the camera
  EXPECT_EQ(scenes.provenance["normals"], "derived from the depths");
}

TEST_F(ScenesTest, TheCacheAndTheNumberOfThreadsChangeNothing) {
  make_triples();
  const Scenes fresh = read(), kept = read();
  options_.cache = false;
  options_.threads = 1;
  const Scenes again = read();
  for (const auto* other : {&kept, &again}) {
    EXPECT_EQ(other->images, fresh.images);
    EXPECT_EQ(other->labels, fresh.labels);
    EXPECT_EQ(other->depths, fresh.depths);
    EXPECT_EQ(other->normals, fresh.normals);
    EXPECT_EQ(other->provenance, fresh.provenance);
  }
  EXPECT_TRUE(notes_.empty());
}

TEST_F(ScenesTest, ArraysGiveTheirOwnNormals) {
  make_arrays(0, true);
  make_arrays(1, true);
  const Scenes scenes = read();
  ASSERT_EQ(scenes.count, 2);
  EXPECT_FLOAT_EQ(scenes.images[5], 0.25F);
  EXPECT_EQ(scenes.labels[0], -1);
  EXPECT_EQ(scenes.labels[24], 12);
  EXPECT_EQ(scenes.normals[24], 0);  // zero vectors stay so
  EXPECT_FLOAT_EQ(scenes.normals[24 + 23], -0.6F);
  EXPECT_FLOAT_EQ(scenes.normals[48 + 23], 0.8F);
  EXPECT_EQ(scenes.provenance["normals"], "given");
}

TEST_F(ScenesTest, ArraysWithoutNormalsGetDerivedOnes) {
  make_arrays(0, false);
  EXPECT_EQ(read().provenance["normals"], "derived from the depths");
}

TEST_F(ScenesTest, BadFilesAreNamed) {
  make_triples();
  std::filesystem::remove(root() / "depth/12.png");
  expect_says(refusal(), {"train.txt", "row 2: ", "12.png does not exist"});
  write_grey(root() / "depth/12.png", 40, 64, [](int, int) { return 1; });
  expect_says(refusal(), {"depth/12.png", "has 64 x 40 pixels, its image 64 x 48"});
  make_triple("12", 0, 102, 14);
  expect_says(refusal(), {"label13/12.png", "row 0, column 0: 14 is none of the classes 1 to 13"});
  write_text(root() / "image/12.jpg", "no image");
  expect_says(refusal(), {"image/12.jpg", "is not a PNG, JPEG or BMP"});
}

TEST_F(ScenesTest, BadArraysAreNamed) {
  make_arrays(0, true);
  write_raw(root() / "train/label/0.npy", array("<f4", "(8, 12)", std::vector<float>(96, 13)));
  expect_says(refusal(), {"label/0.npy", "pixel 0: 13 is none of the classes 0 to 12"});
  write_raw(root() / "train/label/0.npy", array("<f4", "(8, 11)", std::vector<float>(88, 1)));
  expect_says(refusal(), {"label/0.npy", "has 11 x 8 pixels, its image 12 x 8"});
  std::filesystem::remove(root() / "train/normal/0.npy");
  expect_says(refusal(), {"normal/0.npy does not exist"});
}

TEST_F(ScenesTest, AFolderOfNeitherLayoutIsRefused) {
  std::filesystem::create_directories(root());
  expect_says(refusal(), {"nyuv2", "holds neither train.txt nor train/image"});
}

}  // namespace
}  // namespace moblo::lab::readers
