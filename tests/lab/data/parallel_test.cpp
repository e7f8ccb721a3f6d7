#include "lab/data/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace moblo::lab::data::parallel_test {
namespace {

TEST(ForEachNumber, CallsEachNumberOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 7U}) {
    std::vector<std::atomic<int>> calls(50);
    for_each_number(50, threads, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1) << threads;
  }
  for_each_number(0, 3, [](std::int64_t) { FAIL(); });
}

TEST(ForEachNumber, ThrowsWhatTheSmallestNumberThrew) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    for (int repetition = 0; repetition < 20; ++repetition) {
      try {
        for_each_number(40, threads, [](std::int64_t i) {
          if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
        });
        FAIL() << threads;
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what()), "7") << threads;
      }
    }
  }
}

TEST(ForEachNumber, BeginsNothingNewAfterAFailure) {
  std::atomic<int> calls = 0;
  const auto failing = [&](std::int64_t i) {
    ++calls;
    if (i == 3) throw std::runtime_error("enough");
  };
  EXPECT_THROW(for_each_number(1000, 1, failing), std::runtime_error);
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace moblo::lab::data::parallel_test
