#include "moblo/ranks/group.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "moblo/base/error.hpp"
#include "moblo/ranks/process_group.hpp"

namespace moblo::ranks {
namespace {

torch::Tensor numbers_of(int rank, std::int64_t count) {
  return torch::sin(torch::arange(count, torch::kFloat64) * (rank + 1) + rank);
}

TEST(Alone, ChangesNothing) {
  auto values = numbers_of(0, 5);
  const auto before = values.clone();
  auto& group = alone();
  group.sum(values);
  group.begin_sum(values)->wait();
  group.broadcast(values, 0);
  group.barrier();
  EXPECT_TRUE(torch::equal(values, before));
  EXPECT_TRUE(group.is_alone());
  EXPECT_EQ(group.gather(values).size(), 1U);
}

class Threads : public testing::TestWithParam<int> {};

TEST_P(Threads, SumToTheSameBitsOnEveryRankAndInEveryRepetition) {
  const int size = GetParam();
  std::vector<torch::Tensor> sums(static_cast<std::size_t>(size));
  run_as_threads(size, [&](Group& group) {
    auto values = numbers_of(group.rank(), 1000);
    group.sum(values);
    for (int repeat = 0; repeat < 5; ++repeat) {
      auto again = numbers_of(group.rank(), 1000);
      group.sum(again);
      EXPECT_TRUE(torch::equal(again, values));
    }
    sums[static_cast<std::size_t>(group.rank())] = values;
  });
  auto expected = torch::zeros({1000}, torch::kFloat64);
  for (int rank = 0; rank < size; ++rank) expected += numbers_of(rank, 1000);
  for (const auto& sum : sums) {
    EXPECT_TRUE(torch::equal(sum, sums.front()));
    EXPECT_TRUE(torch::allclose(sum, expected, 1e-14, 1e-14));
  }
}

TEST_P(Threads, GatherInTheOrderOfTheRanksAndBroadcastFromAny) {
  run_as_threads(GetParam(), [](Group& group) {
    const auto all = group.gather(torch::full({2}, group.rank(), torch::kInt64));
    ASSERT_EQ(static_cast<int>(all.size()), group.size());
    for (int rank = 0; rank < group.size(); ++rank) {
      EXPECT_EQ(all[static_cast<std::size_t>(rank)][1].item<std::int64_t>(), rank);
    }
    const int last = group.size() - 1;
    auto values = numbers_of(group.rank(), 7);
    group.broadcast(values, last);
    EXPECT_TRUE(torch::equal(values, numbers_of(last, 7)));
  });
}

TEST_P(Threads, SumViewsThatAreNotContiguous) {
  run_as_threads(GetParam(), [](Group& group) {
    auto matrix = torch::ones({4, 3}, torch::kFloat32);
    group.sum(matrix.select(1, 1));
    EXPECT_EQ(matrix[2][1].item<float>(), static_cast<float>(group.size()));
    EXPECT_EQ(matrix[2][0].item<float>(), 1.0F);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Threads, testing::Values(2, 3, 4));

TEST(LostRank, IsNamedByTheOthersAtOnce) {
  std::array<std::string, 3> told;
  const auto began = std::chrono::steady_clock::now();
  run_as_threads(3, [&](Group& group) {
    auto values = torch::ones({10});
    group.sum(values);
    if (group.rank() == 1) return;  // its connections are closed
    try {
      group.sum(values);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::ranks);
      told[static_cast<std::size_t>(group.rank())] = error.what();
    }
  });
  EXPECT_TRUE(told[0].starts_with("rank 1:")) << told[0];
  EXPECT_TRUE(told[2].starts_with("rank 1:")) << told[2];
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

TEST(HangingRank, IsNamedAfterTheTimeOut) {
  std::string told;
  run_as_threads(
      2,
      [&](Group& group) {
        auto values = torch::ones({10});
        group.sum(values);
        if (group.rank() == 1) {
          std::this_thread::sleep_for(std::chrono::seconds(3));
          return;
        }
        try {
          group.sum(values);
        } catch (const Error& error) {
          told = error.what();
        }
      },
      /*timeout=*/1);
  EXPECT_TRUE(told.starts_with("rank 1:")) << told;
}

}  // namespace
}  // namespace moblo::ranks
