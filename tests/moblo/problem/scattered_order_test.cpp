#include "moblo/problem/scattered_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace moblo::problem {
namespace {

TEST(ScatteredOrder, IsAPermutationForEverySize) {
  for (const std::int64_t size : {1, 2, 3, 4, 5, 16, 17, 100, 1023, 1025, 70000}) {
    const ScatteredOrder order(7, size);
    std::vector<bool> seen(static_cast<std::size_t>(size), false);
    for (std::int64_t i = 0; i < size; ++i) {
      const auto at = order(i);
      ASSERT_GE(at, 0);
      ASSERT_LT(at, size);
      ASSERT_FALSE(seen[static_cast<std::size_t>(at)]) << size;
      seen[static_cast<std::size_t>(at)] = true;
    }
  }
}

/// Batches of 100 from a hundred million: their mean position is that of uniform draws, and neighbours are unrelated.
TEST(ScatteredOrder, LooksUniformInEveryBatch) {
  const std::int64_t size = 100'000'000;
  const ScatteredOrder order(3, size), other(4, size);
  double sum = 0, product = 0, shared = 0;
  const int count = 20000;
  for (int i = 0; i < count; ++i) {
    const double a = static_cast<double>(order(i)) / size - 0.5, b = static_cast<double>(order(i + 1)) / size - 0.5;
    sum += a, product += a * b, shared += a * (static_cast<double>(other(i)) / size - 0.5);
  }
  const double deviation = 1 / std::sqrt(12.0 * count);
  EXPECT_LT(std::abs(sum / count), 5 * deviation);
  EXPECT_LT(std::abs(product / count), 5.0 / 12 / std::sqrt(count));
  EXPECT_LT(std::abs(shared / count), 5.0 / 12 / std::sqrt(count));
}

}  // namespace
}  // namespace moblo::problem
