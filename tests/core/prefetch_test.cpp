#include "moblo/data/prefetch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "moblo/base/error.hpp"

namespace moblo {
namespace {

TensorBatches numbers(std::uint64_t seed = 5) {
  return TensorBatches({{torch::arange(20, torch::kFloat), torch::arange(20, torch::kInt64)}}, 6, seed);
}

/// Counts its calls, and fails at one number.
class Counted : public BatchStream {
 public:
  Counted(std::atomic<int>& calls, std::int64_t bad) : calls_(calls), bad_(bad) {}
  Batch at(std::int64_t number) override {
    ++calls_;
    if (number == bad_) throw Error(ErrorKind::data, "batch", "is bad", "");
    return {.number = number, .parts = {}};
  }
  std::int64_t epoch_length() const override { return 17; }

 private:
  std::atomic<int>& calls_;
  std::int64_t bad_;
};

TEST(PrefetchedBatches, AreTheSameBatches) {
  auto plain = numbers();
  PrefetchedBatches ahead(std::make_unique<TensorBatches>(numbers()), 3);
  EXPECT_EQ(ahead.epoch_length(), plain.epoch_length());
  for (int k = 0; k < 50; ++k) {
    const Batch expected = plain.next(), found = ahead.next();
    ASSERT_EQ(found.number, k);
    ASSERT_TRUE(torch::equal(found.parts[0].inputs, expected.parts[0].inputs));
    ASSERT_TRUE(torch::equal(found.parts[0].targets, expected.parts[0].targets));
  }
}

TEST(PrefetchedBatches, MayBeSoughtAndReadInAnyOrder) {
  auto plain = numbers();
  PrefetchedBatches ahead(std::make_unique<TensorBatches>(numbers()));
  for (const std::int64_t k : {7, 8, 3, 3, 100, 101, 103, 0, 1, 2, 101}) {
    ASSERT_TRUE(torch::equal(ahead.at(k).parts[0].indices, plain.at(k).parts[0].indices)) << k;
  }
  ahead.seek(40);
  EXPECT_TRUE(torch::equal(ahead.next().parts[0].indices, plain.at(40).parts[0].indices));
  EXPECT_EQ(ahead.position(), 41);
}

TEST(PrefetchedBatches, ThrowWhatTheStreamThrewWhenThatBatchIsAskedFor) {
  std::atomic<int> calls = 0;
  PrefetchedBatches ahead(std::make_unique<Counted>(calls, 2), 4);
  EXPECT_EQ(ahead.next().number, 0);
  EXPECT_EQ(ahead.next().number, 1);
  EXPECT_THROW(ahead.next(), Error);
  EXPECT_EQ(ahead.next().number, 3);  // one bad batch does not end the stream
  EXPECT_THROW(ahead.at(2), Error);
}

TEST(PrefetchedBatches, PrepareSomeAheadAndNoMore) {
  std::atomic<int> calls = 0;
  PrefetchedBatches ahead(std::make_unique<Counted>(calls, -1), 3);
  ahead.next();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (calls < 4 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(calls, 4);  // the one that was used, and three that wait
}

TEST(PrefetchedBatches, EndAtAnyTime) {
  for (int used = 0; used < 30; ++used) {
    std::atomic<int> calls = 0;
    PrefetchedBatches ahead(std::make_unique<Counted>(calls, used / 2), 2);
    for (int k = 0; k < used % 5; ++k) {
      if (k != used / 2) ahead.at(k);
    }
  }
}

}  // namespace
}  // namespace moblo
