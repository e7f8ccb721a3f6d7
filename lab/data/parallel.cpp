#include "lab/data/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace moblo::lab::data {

void for_each_number(std::int64_t count, unsigned threads, const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next = 0;
  std::atomic<bool> failing = false;
  std::mutex guard;
  std::int64_t failed = count;
  std::exception_ptr failure;
  const auto run = [&] {
    while (!failing) {
      const std::int64_t i = next++;
      if (i >= count) return;
      try {
        work(i);
      } catch (...) {
        failing = true;
        const std::scoped_lock lock(guard);
        if (i < failed) failed = i, failure = std::current_exception();
      }
    }
  };
  const std::int64_t wanted = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> others;
    for (std::int64_t t = 1; t < std::min(wanted, count); ++t) others.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace moblo::lab::data
