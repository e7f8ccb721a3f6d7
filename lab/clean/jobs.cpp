#include "lab/clean/jobs.hpp"

#include <torch/torch.h>

#include <algorithm>

#include "lab/data/parallel.hpp"

namespace moblo::lab::clean {

void Monitor::enter(const std::string& stage) {
  const std::scoped_lock lock(guard_);
  stage_ = stage;
}

void Monitor::count() {
  const std::scoped_lock lock(guard_);
  ++done_;
  if (listener_) listener_(stage_, done_, all_);
}

void Monitor::step() {
  if (stop_ && *stop_) throw Interrupted{};
  count();
}

void run_jobs(const std::vector<std::function<void()>>& jobs, int threads) {
  data::for_each_number(static_cast<std::int64_t>(jobs.size()), static_cast<unsigned>(std::max(1, threads)),
                        [&jobs](std::int64_t i) {
                          at::set_num_threads(1);  // a setting of each thread of its own
                          jobs[static_cast<std::size_t>(i)]();
                        });
}

}  // namespace moblo::lab::clean
