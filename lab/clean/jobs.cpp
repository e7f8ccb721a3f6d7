#include "lab/clean/jobs.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <exception>
#include <thread>

namespace moblo::lab::clean {

void Monitor::enter(const std::string& stage) {
  const std::scoped_lock lock(guard_);
  stage_ = stage;
}

void Monitor::step() {
  if (stop_ && *stop_) throw Interrupted{};
  const std::scoped_lock lock(guard_);
  ++done_;
  if (listener_) listener_(stage_, done_, all_);
}

void run_jobs(const std::vector<std::function<void()>>& jobs, int threads) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(jobs.size());
  const auto work = [&] {
    at::set_num_threads(1);  // a setting of each thread of its own
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      try {
        jobs[i]();
      } catch (...) {
        failures[i] = std::current_exception();
        next = jobs.size();
      }
    }
  };
  std::vector<std::jthread> others;
  for (int t = 1; t < std::min<int>(threads, static_cast<int>(jobs.size())); ++t) others.emplace_back(work);
  work();
  others.clear();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace moblo::lab::clean
