#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/metrics/depth.hpp"
#include "lab/metrics/normals.hpp"
#include "lab/metrics/regression.hpp"
#include "lab/metrics/segmentation.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::metrics {
namespace {

TEST(ConfusionMatrix, CountsByHand) {
  ConfusionMatrix matrix(3);
  matrix.add(std::vector<std::int32_t>{0, 0, 1, -1, 1}, std::vector<std::int32_t>{0, 1, 1, 2, 1});
  matrix.add(std::vector<std::int32_t>{0}, std::vector<std::int32_t>{0});
  EXPECT_EQ(matrix.pixels(), 5);  // the void pixel is none, though something was predicted for it
  EXPECT_EQ(matrix.count(0, 1), 1);
  EXPECT_DOUBLE_EQ(matrix.pixel_accuracy(), 4.0 / 5);
  EXPECT_DOUBLE_EQ(matrix.mean_iou(), (2.0 / 3 + 2.0 / 3) / 2);  // class 2 does not occur
}

TEST(ConfusionMatrix, AClassThatIsOnlyPredictedLowersTheMean) {
  ConfusionMatrix matrix(3);
  matrix.add(std::vector<std::int32_t>{0, 0}, std::vector<std::int32_t>{0, 2});
  EXPECT_DOUBLE_EQ(matrix.mean_iou(), (0.5 + 0) / 2);
}

TEST(ConfusionMatrix, RefusesUnknownClassesAndNothing) {
  ConfusionMatrix matrix(3);
  EXPECT_THROW(matrix.mean_iou(), Error);
  EXPECT_THROW(matrix.pixel_accuracy(), Error);
  EXPECT_THROW(matrix.add(std::vector<std::int32_t>{3}, std::vector<std::int32_t>{0}), Error);
  EXPECT_THROW(matrix.add(std::vector<std::int32_t>{0}, std::vector<std::int32_t>{-1}), Error);
  EXPECT_THROW(matrix.add(std::vector<std::int32_t>{0, 1}, std::vector<std::int32_t>{0}), Error);
  EXPECT_THROW(ConfusionMatrix(0), Error);
}

TEST(DepthError, IsTakenOverMeasuredPixels) {
  DepthError error;
  error.add(std::vector<float>{2, 0, 4}, std::vector<float>{1, 9, 5});
  error.add(std::vector<float>{1}, std::vector<float>{1});
  EXPECT_EQ(error.pixels(), 3);
  EXPECT_DOUBLE_EQ(error.absolute(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(error.relative(), 0.75 / 3);
  EXPECT_THROW(DepthError().absolute(), Error);
}

/// Planes of unit vectors in the x-z plane at these angles to the z axis.
std::vector<float> at_angles(const std::vector<double>& degrees, float length = 1) {
  std::vector<float> planes;
  for (const double d : degrees) planes.push_back(length * static_cast<float>(std::sin(d * std::numbers::pi / 180)));
  planes.resize(2 * degrees.size(), 0);
  for (const double d : degrees) planes.push_back(length * static_cast<float>(std::cos(d * std::numbers::pi / 180)));
  return planes;
}

TEST(NormalAngles, MeasuresWhatWasTurned) {
  const std::vector<double> turned{0, 5, 11, 12, 22, 23, 29, 31, 90, 180};
  NormalAngles angles;
  angles.add(at_angles(std::vector<double>(10, 0)), at_angles(turned, 3), 10);  // lengths do not matter
  EXPECT_NEAR(angles.mean(), 40.3, 1e-4);
  EXPECT_NEAR(angles.median(), 22.5, 1e-3);
  EXPECT_DOUBLE_EQ(angles.within_11(), 0.3);
  EXPECT_DOUBLE_EQ(angles.within_22(), 0.5);
  EXPECT_DOUBLE_EQ(angles.within_30(), 0.7);
}

TEST(NormalAngles, UnknownNormalsCountNowhereAndPredictionsWithoutDirectionAreWrong) {
  NormalAngles angles;
  angles.add(std::vector<float>{0, 0, 0, 0, 0, 1}, std::vector<float>{1, 0, 0, 0, 0, 0}, 2);
  EXPECT_EQ(angles.pixels(), 1);
  EXPECT_DOUBLE_EQ(angles.mean(), 90);
  EXPECT_THROW(angles.add(std::vector<float>{1, 2, 3, 4}, std::vector<float>{1, 2, 3, 4}, 2), Error);
  EXPECT_THROW(NormalAngles().median(), Error);
}

TEST(NormalAngles, MedianOfManyBatchesIsThatOfAllAngles) {
  Rng rng(3);
  NormalAngles angles;
  std::vector<double> all;
  for (int batch = 0; batch < 7; ++batch) {
    std::vector<double> turned;
    for (int i = 0; i < 200 + batch; ++i) turned.push_back(180 * rng.uniform() * rng.uniform());
    all.insert(all.end(), turned.begin(), turned.end());
    const auto count = static_cast<std::int64_t>(turned.size());
    angles.add(at_angles(std::vector<double>(turned.size(), 0)), at_angles(turned), count);
  }
  std::sort(all.begin(), all.end());
  EXPECT_NEAR(angles.median(), (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2, 1.1e-3);
}

TEST(AbsoluteErrors, AreTakenForEachQuantity) {
  AbsoluteErrors errors(2);
  errors.add(std::vector<float>{1, 10, 2, 20}, std::vector<float>{2, 10, 0, 24});
  errors.add(std::vector<float>{0, 0}, std::vector<float>{0, 2});
  EXPECT_EQ(errors.samples(), 3);
  EXPECT_EQ(errors.means(), (std::vector<double>{1, 2}));
  EXPECT_THROW(errors.add(std::vector<float>{1}, std::vector<float>{1}), Error);
  EXPECT_THROW(AbsoluteErrors(2).means(), Error);
}

}  // namespace
}  // namespace moblo::lab::metrics
