#include "lab/clean/calibration.hpp"

#include <gtest/gtest.h>

#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {
namespace {

TEST(CalibrationTest, ErrorIsWhatTheProbabilitiesMiss) {
  Rng rng(1);
  std::vector<JudgedChance> honest, modest;
  for (int i = 0; i < 20000; ++i) {
    const double p = rng.uniform();
    const bool wrong = rng.uniform() < p;
    honest.push_back({p, wrong, 1});
    modest.push_back({p / 2, wrong, 1});
  }
  EXPECT_LT(calibration_error(honest), 0.015);
  EXPECT_NEAR(calibration_error(modest), 0.25, 0.015);
  EXPECT_EQ(calibration_error({}), 0);
}

}  // namespace
}  // namespace moblo::lab::clean
