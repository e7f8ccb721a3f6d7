#include "lab/clean/neighbours.hpp"

#include <gtest/gtest.h>

#include "tests/lab/clean/made_rows.hpp"

namespace moblo::lab::clean {
namespace {

TEST(Neighbours, AreThoseOfEveryDistance) {
  const auto rows = normal_rows(300, 7, 1);
  auto all = torch::cdist(rows.to(torch::kFloat64), rows.to(torch::kFloat64));
  all.fill_diagonal_(1e9);
  const auto [distance, index] = all.topk(4, 1, /*largest=*/false);
  const auto found = nearest_rows(rows, 4, 0, 2);
  EXPECT_TRUE(torch::equal(found.index, index));
  EXPECT_TRUE(torch::allclose(found.distance.to(torch::kFloat64), distance, 1e-5, 1e-6));
}

TEST(Neighbours, ThreadsDecideNothing) {
  const auto rows = normal_rows(3000, 5, 2);
  for (const std::int64_t exact : {std::int64_t{100}, std::int64_t{10000}}) {
    const auto one = nearest_rows(rows, 3, 4, 1, exact), three = nearest_rows(rows, 3, 4, 3, exact);
    EXPECT_TRUE(torch::equal(one.index, three.index));
    EXPECT_TRUE(torch::equal(one.distance, three.distance));
  }
}

TEST(Neighbours, OfManyRowsAreFoundInTheirCells) {
  for (const std::int64_t width : {8, 100}) {  // the wider ones are projected
    const auto centres = normal_rows(40, width, 5);
    const auto rows = centres.repeat({50, 1}) + 0.1 * normal_rows(2000, width, 6);
    const auto exact = nearest_rows(rows, 1, 0, 0).index, cells = nearest_rows(rows, 1, 0, 0, /*exact_rows=*/100).index;
    EXPECT_GE((exact == cells).to(torch::kFloat64).mean().item<double>(), width == 8 ? 0.95 : 0.5);
    const auto copies = torch::cat({rows, rows.narrow(0, 0, 100) + 1e-4});
    const auto of_copy = nearest_rows(copies, 1, 0, 0, /*exact_rows=*/100).index.select(1, 0).narrow(0, 2000, 100);
    EXPECT_GE((of_copy == torch::arange(100)).sum().item<std::int64_t>(), 99) << "what is near is found for certain";
  }
}

TEST(Neighbours, FewerThanAskedForAreMarked) {
  const auto found = nearest_rows(normal_rows(3, 2, 1), 5, 0);
  EXPECT_EQ(found.index[0][2].item<std::int64_t>(), -1);
  EXPECT_TRUE(std::isinf(found.distance[0][4].item<float>()));
}

TEST(Surroundings, TellInHowManyDirectionsRowsSpread) {
  for (const std::int64_t spread : {2, 6}) {
    const auto rows = normal_rows(2000, spread, 3).matmul(normal_rows(spread, 20, 4));
    EXPECT_NEAR(surroundings(rows, 0).dimension, static_cast<double>(spread), 0.2 * static_cast<double>(spread));
  }
}

TEST(Surroundings, OfAClumpApartAreWide) {
  auto rows = normal_rows(2000, 5, 3);
  rows.narrow(0, 0, 15).copy_(20 + 0.01 * normal_rows(15, 5, 4));
  const auto around = surroundings(rows, 0);
  for (std::size_t i = 0; i < 15; ++i) EXPECT_GT(around.radius[i], 15);
}

}  // namespace
}  // namespace moblo::lab::clean
