#include <gtest/gtest.h>

#include "lab/data/dataset_store.hpp"
#include "lab/problems/cleaning.hpp"

namespace moblo::lab::problems {
namespace {

/// Skipped on a machine without the data: `moblo data get` changes that.
class RealDataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& info : data::dataset_catalogue()) {
      if (info.by_hand.empty() && !data::locate_dataset(info))
        GTEST_SKIP() << info.name << " is not here; `moblo data get " << info.name << "` gets it";
    }
  }
};

TEST_F(RealDataTest, FilesAreThePublishedOnes) {
  for (const auto& info : data::dataset_catalogue()) {
    if (!info.by_hand.empty()) continue;
    for (const auto& check : data::verify_dataset(info, *data::locate_dataset(info)))
      EXPECT_EQ(check.problem, "") << check.file;
  }
}

TEST_F(RealDataTest, HyperCleaningHasThePapersSize) {
  HyperCleaning problem({}, 0);
  EXPECT_EQ(problem.upper().size(), 10000);
  EXPECT_EQ(problem.lower().size(), 538388);
  for (const auto& task : problem.tasks()) {
    EXPECT_EQ(task.train.inputs.sizes(), (std::vector<std::int64_t>{5000, 784})) << task.name;
    EXPECT_EQ(task.upper.inputs.size(0), 1000);
    EXPECT_EQ(task.select.inputs.size(0), 1000);
    EXPECT_EQ(task.test.inputs.size(0), 5000);
    const auto numbers = numbers_of(task.train.inputs, torch::kFloat32);
    EXPECT_EQ(numbers.max().item().toFloat(), 1);
    EXPECT_EQ(numbers.min().item().toFloat(), 0);
    EXPECT_TRUE(task.provenance["files"][0]["as_published"].get<bool>());
  }
}

}  // namespace
}  // namespace moblo::lab::problems
