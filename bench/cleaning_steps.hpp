#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "moblo/applications/cleaning.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/experiment/runner.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/training/optimiser.hpp"

namespace moblo::bench {

/// Hyper-cleaning as the paper has it, but for what is given. Pixels and labels are random, which no time depends on.
struct CleaningShape {
  std::int64_t tasks = 2;
  std::int64_t samples = 5000;  ///< a task, each with its weight
  std::int64_t batch = 100;     ///< a task
  std::int64_t first = 512;     ///< width of the first layer; the second has half of it
};

constexpr std::int64_t pixels = 784, classes = 10;

/// Pictures are one and the same row of memory, so that many samples cost nothing but their weights.
inline TensorDataset random_samples(std::int64_t count) {
  return {torch::rand({1, pixels}).expand({count, pixels}), torch::randint(classes, {count}, torch::kInt64)};
}

inline std::unique_ptr<HyperCleaning> hyper_cleaning(const CleaningShape& shape) {
  std::vector<CleaningTask> tasks;
  for (std::int64_t i = 0; i < shape.tasks; ++i) {
    CleaningTask task;
    task.name = "task " + std::to_string(i);
    task.classes = classes;
    task.train = random_samples(shape.samples);
    task.upper = random_samples(1000);
    tasks.push_back(std::move(task));
  }
  HyperCleaningOptions options;
  options.batch = shape.batch;
  options.hidden = {static_cast<double>(shape.first), static_cast<double>(shape.first / 2)};
  return std::make_unique<HyperCleaning>(std::move(tasks), options, 1);
}

/// After one that is not counted.
inline double fastest(int repeats, const std::function<void()>& work) {
  double best = 1e9;
  work();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Stopwatch watch;
    work();
    best = std::min(best, watch.seconds());
  }
  return best;
}

inline double step_seconds(const CleaningShape& shape, const std::string& name, const Json& options, int repeats) {
  const auto problem = hyper_cleaning(shape);
  const auto method = make_method(name, find_method(name, "bench").resolve(options, {}));
  method->start(*problem, shape.tasks);
  Optimisers optimisers({}, *problem, 1000);
  std::int64_t k = 0;
  return fastest(repeats, [&] {
    PhaseTimer timer;
    const auto before = method->before_step();
    optimisers.begin(k);
    method->step({*problem, optimisers, timer, k++});
  });
}

}  // namespace moblo::bench
