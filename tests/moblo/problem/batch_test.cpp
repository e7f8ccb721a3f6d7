#include "moblo/problem/batch.hpp"

#include <gtest/gtest.h>

#include <set>

#include "moblo/base/error.hpp"

namespace moblo::problem {
namespace {

TensorBatches numbered(std::int64_t samples, std::int64_t batch, std::uint64_t seed) {
  const auto values = torch::arange(samples, torch::kFloat32);
  return TensorBatches({{values, values}}, batch, seed);
}

std::vector<std::int64_t> indices(const Batch& batch, std::size_t part = 0) {
  const auto& tensor = batch.parts[part].indices;
  return {tensor.data_ptr<std::int64_t>(), tensor.data_ptr<std::int64_t>() + tensor.numel()};
}

TEST(TensorBatches, AnEpochSeesEverySampleOnceAndTheNextInAnotherOrder) {
  auto batches = numbered(20, 5, 1);
  std::vector<std::int64_t> first, second;
  for (int i = 0; i < 4; ++i) {
    for (const auto index : indices(batches.next())) first.push_back(index);
  }
  for (int i = 0; i < 4; ++i) {
    for (const auto index : indices(batches.next())) second.push_back(index);
  }
  EXPECT_EQ(std::set<std::int64_t>(first.begin(), first.end()).size(), 20U);
  EXPECT_EQ(std::set<std::int64_t>(second.begin(), second.end()).size(), 20U);
  EXPECT_NE(first, second);
  EXPECT_EQ(batches.epoch_length(), 4);
}

TEST(TensorBatches, BatchIsAFunctionOfSeedAndPosition) {
  auto one = numbered(17, 5, 3), other = numbered(17, 5, 3), foreign = numbered(17, 5, 4);
  for (int i = 0; i < 11; ++i) one.next();
  other.seek(11);
  const auto expected = indices(one.next());
  EXPECT_EQ(indices(other.next()), expected);
  EXPECT_NE(indices(foreign.at(11)), expected);
}

TEST(TensorBatches, InputsAndTargetsBelongToTheIndices) {
  auto batches = numbered(10, 4, 0);
  const auto batch = batches.next();
  EXPECT_TRUE(torch::equal(batch.parts[0].inputs, batch.parts[0].indices.to(torch::kFloat32)));
  EXPECT_TRUE(torch::equal(batch.parts[0].targets, batch.parts[0].inputs));
}

TEST(TensorBatches, InputsOfOneShapeLieOneBelowAnother) {
  const auto small = torch::arange(6, torch::kFloat32).view({3, 2}), large = -torch::arange(20).to(torch::kFloat32);
  TensorBatches batches({{small, {}}, {large.view({10, 2}), {}}}, 4, 0);
  const auto batch = batches.next();
  EXPECT_TRUE(torch::equal(batch.inputs, torch::cat({batch.parts[0].inputs, batch.parts[1].inputs})));
  EXPECT_TRUE(batch.parts[1].inputs.is_alias_of(batch.inputs));
  EXPECT_TRUE(torch::equal(batch.parts[1].inputs, large.view({10, 2}).index_select(0, batch.parts[1].indices)));
  EXPECT_FALSE(TensorBatches({{small, {}}, {large, {}}}, 4, 0).next().inputs.defined());
}

TEST(TensorBatches, DatasetsOfDifferentSizeTurnAtTheirOwnEpochs) {
  const auto small = torch::arange(3, torch::kFloat32), large = torch::arange(10, torch::kFloat32);
  TensorBatches batches({{small, small}, {large, large}}, 4, 0);
  EXPECT_EQ(batches.epoch_length(), 3);
  const auto batch = batches.next();
  EXPECT_EQ(indices(batch, 0).size(), 3U);  // never larger than the dataset
  EXPECT_EQ(indices(batch, 1).size(), 4U);
}

TEST(TensorBatches, RefusesDataThatIsNone) {
  const auto some = torch::zeros({3});
  EXPECT_THROW(TensorBatches({}, 4, 0), Error);
  EXPECT_THROW(TensorBatches({{torch::zeros({0, 2}), torch::zeros({0})}}, 4, 0), Error);
  EXPECT_THROW(TensorBatches({{some, torch::zeros({4})}}, 4, 0), Error);
  EXPECT_THROW(TensorBatches({{some, some}}, 0, 0), Error);
}

}  // namespace
}  // namespace moblo::problem
