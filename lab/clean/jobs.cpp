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

void Monitor::refuse_if_stopped() const {
  if (stop_ && *stop_) throw Interrupted{};
}

void Monitor::step() {
  refuse_if_stopped();
  count();
}

Job network_job(std::string name, std::int64_t steps, std::function<nets::DenseClassifier()> learn,
                std::vector<nets::DenseClassifier>& into) {
  return {std::move(name), steps,
          [learn = std::move(learn)] {
            JobResult result;
            put_network(result, "network", learn());
            return result;
          },
          [&into](const JobResult& result) { into.push_back(network_in(result, "network")); }};
}

void run_jobs(const std::vector<Job>& jobs, int threads, CleanState& state, Monitor& monitor) {
  const auto run = [&](const Job& job) {
    if (state.has(job.name)) return job.take(state.take(job.name));
    monitor.refuse_if_stopped();
    const auto result = job.work();
    state.keep(job.name, result);
    job.take(result);
  };
  data::for_each_number(static_cast<std::int64_t>(jobs.size()), static_cast<unsigned>(std::max(1, threads)),
                        [&](std::int64_t i) {
                          at::set_num_threads(1);  // a setting of each thread of its own
                          run(jobs[static_cast<std::size_t>(i)]);
                        });
}

}  // namespace moblo::lab::clean
