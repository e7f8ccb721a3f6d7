// What several threads share, without torch: for the thread sanitizer (`make tsan`), which sees a race even where the
// result is right by luck.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "lab/data/parallel.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/folder_lock.hpp"
#include "moblo/records/run_folder.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::threads_test {
namespace {

using records::fixtures::TemporaryFolder;

TEST(Threads, NumbersAreHandedOutOnce) {
  for (const unsigned threads : {2U, 5U, 16U}) {
    std::vector<int> calls(400);
    lab::data::for_each_number(400, threads, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), 400) << threads;
  }
}

TEST(Threads, AnErrorOfOneEndsAll) {
  for (int repetition = 0; repetition < 30; ++repetition) {
    EXPECT_THROW(lab::data::for_each_number(50, 6,
                                            [](std::int64_t i) {
                                              if (i % 7 == 3)
                                                throw Error(ErrorKind::data, std::to_string(i), "is odd",
                                                            "Try another");
                                            }),
                 Error);
  }
}

/// Runs `work(i)` on several threads at once, i = 0, 1, ..
template <class Work>
void at_once(int count, const Work& work) {
  std::atomic<int> ready = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < count) std::this_thread::yield();
      work(i);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Threads, RunsOfOneProcessAreWrittenSideBySide) {
  const TemporaryFolder folder;
  at_once(4, [&](int i) {
    auto run = records::RunFolder::create(folder / std::to_string(i), records::fixtures::sample_manifest());
    for (int k = 0; k < 50; ++k) {
      run.append(records::fixtures::sample_step(k));
      run.append(records::fixtures::sample_timing(k));
    }
    run.flush();
  });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(records::read_run(folder / std::to_string(i)).steps.size(), 50U);
}

TEST(Threads, OneOfSeveralWritersGetsTheFolder) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    const TemporaryFolder folder;
    std::atomic<int> winners = 0, tried = 0;
    at_once(4, [&](int) {
      std::optional<records::RunFolder> run;
      try {
        run.emplace(records::RunFolder::create(folder / "run", records::fixtures::sample_manifest()));
        ++winners;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::config) << error.what();
      }
      ++tried;
      while (tried < 4) std::this_thread::yield();
    });
    EXPECT_EQ(winners, 1);
  }
}

/// Taken and dropped again and again, in a folder that is there and in one that goes with its last lock.
TEST(Threads, ALockIsHeldByOneAtATime) {
  const TemporaryFolder folder;
  for (const auto& place : {folder.path(), folder / "made by the lock"}) {
    std::atomic<int> inside = 0, taken = 0;
    at_once(4, [&](int) {
      for (int attempt = 0; attempt < 200; ++attempt) {
        try {
          const records::FolderLock lock(place);
          EXPECT_EQ(++inside, 1);
          ++taken;
          --inside;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::config) << error.what();
        }
      }
    });
    EXPECT_GT(taken, 0);
  }
}

TEST(Threads, ARunIsReadWhileItIsWritten) {
  const TemporaryFolder folder;
  auto run = records::RunFolder::create(folder / "run", records::fixtures::sample_manifest());
  std::atomic<bool> ended = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      for (std::size_t before = 0; !ended;) {
        const auto now = records::read_run(folder / "run").steps.size();
        EXPECT_GE(now, before);
        before = now;
      }
    });
  }
  for (int k = 0; k < 200; ++k) {
    run.append(records::fixtures::sample_step(k));
    run.flush();
  }
  ended = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(records::read_run(folder / "run").steps.size(), 200U);
}

}  // namespace
}  // namespace moblo::threads_test
