#include "moblo/problem/parameter_pack.hpp"

#include <gtest/gtest.h>

#include "moblo/base/error.hpp"

namespace moblo::problem {
namespace {

TEST(ParameterPack, TensorsBecomeViewsOfOneBuffer) {
  auto a = torch::tensor({1.0, 2.0}), b = torch::tensor({{3.0}, {4.0}});
  ParameterPack pack;
  pack.add("a", a);
  pack.add("b", b);
  EXPECT_TRUE(torch::equal(pack.values(), torch::tensor({1.0, 2.0, 3.0, 4.0})));
  pack.values()[2] = 9.0;  // the caller's handle sees it
  EXPECT_EQ(b[0][0].item().toDouble(), 9.0);
}

TEST(ParameterPack, BindingEvaluatesTheSameModuleElsewhereAndComesBack) {
  torch::nn::Linear layer(3, 2);
  ParameterPack pack;
  pack.add("layer", *layer);
  const auto home = pack.values();
  const auto input = torch::ones({1, 3});
  const auto here = layer->forward(input).detach().clone();
  {
    const BoundElsewhere elsewhere(pack, torch::zeros_like(home));
    EXPECT_TRUE(torch::equal(layer->forward(input), torch::zeros({1, 2})));
  }
  EXPECT_TRUE(torch::equal(layer->forward(input), here));
  EXPECT_TRUE(pack.values().is_same(home));
}

TEST(ParameterPack, GradientsFlowThroughBoundParameters) {
  auto w = torch::zeros({2});
  ParameterPack pack;
  pack.add("w", w);
  pack.values();
  const BoundElsewhere elsewhere(pack, torch::tensor({3.0F, 4.0F}));
  const auto gradient = torch::autograd::grad({w.square().sum()}, {w})[0];
  EXPECT_TRUE(torch::equal(gradient, torch::tensor({6.0F, 8.0F})));
}

TEST(ParameterPack, TiedWeightsOfAModuleCountOnce) {
  struct Tied : torch::nn::Module {
    Tied() {
      first = register_parameter("first", torch::ones({2}));
      register_parameter("second", first);
    }
    torch::Tensor first;
  } tied;
  ParameterPack pack;
  pack.add("", tied);
  EXPECT_EQ(pack.dense_size(), 2);
}

TEST(ParameterPack, BuffersOfModulesSurviveWhatHappensInBetween) {
  torch::nn::BatchNorm1d norm(4);
  ParameterPack pack;
  pack.add("norm", *norm);
  const auto mean = norm->running_mean.clone();
  const auto count = norm->num_batches_tracked.clone();
  {
    const BuffersKept kept(pack);
    norm->forward(torch::randn({8, 4}) + 5);
    EXPECT_FALSE(torch::equal(norm->running_mean, mean));
  }
  EXPECT_TRUE(torch::equal(norm->running_mean, mean));
  EXPECT_TRUE(torch::equal(norm->num_batches_tracked, count));
}

TEST(ParameterPack, RefusesWhatCannotBeAParameter) {
  ParameterPack pack;
  pack.add("a", torch::zeros({2}));
  EXPECT_THROW(pack.add("a", torch::zeros({2})), Error);                             // name taken
  EXPECT_THROW(pack.add("b", torch::zeros({2}, torch::kInt64)), Error);              // not floating-point
  EXPECT_THROW(pack.add("c", torch::zeros({2}, torch::kFloat64)), Error);            // mixed types
  EXPECT_THROW(pack.add("d", torch::Tensor()), Error);                               // undefined
  EXPECT_THROW(pack.add("e", torch::zeros({0})), Error);                             // empty
  EXPECT_THROW(pack.add("f", torch::ones({2}, torch::requires_grad()) * 2), Error);  // no leaf
  EXPECT_THROW(pack.add_rows("g", torch::tensor(1.0F)), Error);                      // no rows
  pack.values();
  EXPECT_THROW(pack.add("late", torch::zeros({2})), Error);  // after first use
  EXPECT_THROW(pack.rows("a", torch::tensor({0})), Error);   // not per-row
}

TEST(ParameterPack, RowsGiveAGatheredCopyOutsideASliceAndALeafInside) {
  const auto table = torch::arange(10, torch::kFloat32);
  ParameterPack pack;
  pack.add_rows("w", table);
  const auto indices = torch::tensor({7, 2});
  EXPECT_FALSE(pack.rows("w", indices).requires_grad());
  const SlicesOpen open(pack);
  const auto rows = pack.rows("w", indices);
  EXPECT_TRUE(rows.requires_grad() && rows.is_leaf());
  EXPECT_TRUE(torch::equal(rows, torch::tensor({7.0F, 2.0F})));
  EXPECT_TRUE(pack.rows("w", indices).is_same(rows));
  EXPECT_TRUE(pack.rows("w", indices.clone()).is_same(rows));  // the same indices in another tensor
}

TEST(ParameterPack, RepeatedRowsShareOneGradientColumn) {
  const auto table = torch::arange(5, torch::kFloat32);
  ParameterPack pack;
  pack.add_rows("w", table);
  const SlicesOpen open(pack);
  const auto loss = pack.rows("w", torch::tensor({3, 1, 3})).sum();
  ASSERT_EQ(pack.slices().size(), 1U);
  const auto& slice = pack.slices().front();
  EXPECT_TRUE(torch::equal(slice.coordinates, torch::tensor({1, 3})));
  const auto gradient = torch::autograd::grad({loss}, {slice.leaf})[0];
  EXPECT_TRUE(torch::equal(gradient, torch::tensor({1.0F, 2.0F})));
}

TEST(ParameterPack, TwoSetsOfRowsWithinOneStepAreRefused) {
  ParameterPack pack;
  pack.add_rows("w", torch::zeros({5}));
  const SlicesOpen open(pack);
  pack.rows("w", torch::tensor({0, 1}));
  EXPECT_THROW(pack.rows("w", torch::tensor({0, 2})), Error);
}

TEST(ParameterPack, GatheredRowsSettleIntoOneSliceThatEveryBatchReads) {
  ParameterPack pack;
  pack.add_rows("w", torch::arange(10, torch::kFloat32));
  const SlicesOpen open(pack);
  pack.gather_slices();
  EXPECT_FALSE(pack.rows("w", torch::tensor({7, 2})).requires_grad());
  {
    const SlicesPaused paused(pack);
    pack.rows("w", torch::tensor({9}));  // not noted
  }
  pack.rows("w", torch::tensor({2, 5, 2}));
  pack.settle_slices();
  ASSERT_EQ(pack.slices().size(), 1U);
  const auto& slice = pack.slices().front();
  EXPECT_TRUE(torch::equal(slice.coordinates, torch::tensor({2, 5, 7})));

  const auto first = pack.rows("w", torch::tensor({7, 2})), second = pack.rows("w", torch::tensor({2, 5, 2}));
  EXPECT_TRUE(torch::equal(first, torch::tensor({7.0F, 2.0F})));
  EXPECT_TRUE(torch::equal(second, torch::tensor({2.0F, 5.0F, 2.0F})));
  const auto gradient = torch::autograd::grad({first.sum() + 10 * second.sum()}, {slice.leaf})[0];
  EXPECT_TRUE(torch::equal(gradient, torch::tensor({21.0F, 10.0F, 1.0F})));
}

TEST(ParameterPack, ASettledSliceRefusesRowsThatWereNotGathered) {
  ParameterPack pack;
  pack.add_rows("w", torch::zeros({5}));
  pack.add_rows("never read", torch::zeros({5}));
  const SlicesOpen open(pack);
  pack.gather_slices();
  pack.rows("w", torch::tensor({1, 3}));
  pack.settle_slices();
  for (const std::int64_t row : {0, 2, 4}) EXPECT_THROW(pack.rows("w", torch::tensor({row})), Error);
  EXPECT_THROW(pack.rows("never read", torch::tensor({1})), Error);
}

TEST(ParameterPack, BorrowedRowsAreParametersUntilTheyAreReturned) {
  ParameterPack pack;
  auto dense = torch::zeros({2}), table = torch::arange(10, torch::kFloat32).view({5, 2}).clone();
  pack.add("dense", dense);
  pack.add_rows("w", table);
  const auto home = pack.values();
  pack.gather_slices();
  pack.rows("w", torch::tensor({3, 1}));
  pack.borrow_rows();
  EXPECT_EQ(pack.own_size(), 2);
  EXPECT_EQ(pack.dense_size(), 6);
  ASSERT_EQ(pack.leaves().size(), 2U);
  const auto read = pack.rows("w", torch::tensor({3, 1}));
  EXPECT_TRUE(torch::equal(read, torch::tensor({{6.0F, 7.0F}, {2.0F, 3.0F}})));
  const auto gradient = torch::autograd::grad({(read * torch::tensor({{1.0F}, {2.0F}})).sum()}, {pack.leaves()[1]})[0];
  EXPECT_TRUE(torch::equal(gradient, torch::tensor({{2.0F, 2.0F}, {1.0F, 1.0F}})));
  EXPECT_THROW(pack.rows("w", torch::tensor({0})), Error);
  {
    const BoundElsewhere there(pack, torch::full({6}, 9.0F));
    EXPECT_TRUE(torch::equal(pack.rows("w", torch::tensor({1})), torch::full({1, 2}, 9.0F)));
  }
  pack.values().add_(100);
  pack.return_rows();
  EXPECT_TRUE(torch::equal(table, torch::tensor({{0.F, 1.F}, {102.F, 103.F}, {4.F, 5.F}, {106.F, 107.F}, {8.F, 9.F}})));
  EXPECT_TRUE(torch::equal(dense.detach(), torch::full({2}, 100.0F)));
  EXPECT_TRUE(pack.values().is_same(home));
  EXPECT_EQ(pack.size(), 12);
  EXPECT_EQ(pack.leaves().size(), 1U);
}

}  // namespace
}  // namespace moblo::problem
