#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "lab/experiments/runner.hpp"
#include "lab/problems/cleaning.hpp"
#include "moblo/base/clock.hpp"
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

inline TensorDataset random_samples(std::int64_t count) {
  return {torch::rand({count, pixels}), torch::randint(classes, {count}, torch::kInt64)};
}

inline std::unique_ptr<lab::problems::HyperCleaning> hyper_cleaning(const CleaningShape& shape) {
  std::vector<lab::problems::CleaningTask> tasks;
  for (std::int64_t i = 0; i < shape.tasks; ++i) {
    lab::problems::CleaningTask task;
    task.name = "task " + std::to_string(i);
    task.classes = classes;
    task.train = random_samples(shape.samples);
    task.upper = random_samples(1000);
    tasks.push_back(std::move(task));
  }
  lab::problems::HyperCleaningOptions options;
  options.batch = shape.batch;
  options.hidden = {static_cast<double>(shape.first), static_cast<double>(shape.first / 2)};
  return std::make_unique<lab::problems::HyperCleaning>(std::move(tasks), options, 1);
}

/// One step a call, of a method on a problem of its own.
inline std::function<void()> step_of(const CleaningShape& shape, const std::string& name, const Json& options) {
  const std::shared_ptr<BilevelProblem> problem = hyper_cleaning(shape);
  const std::shared_ptr<Method> method = make_method(name, find_method(name, "bench").resolve(options, {}));
  method->start(*problem, shape.tasks);
  const auto optimisers = std::make_shared<training::Optimisers>(OptimiserPair{}, *problem, 1000);
  return [=, k = std::int64_t{0}]() mutable {
    PhaseTimer timer;
    const auto before = method->before_step();
    optimisers->begin(k);
    const problem::SlicesOpen slices(problem->upper());
    const StepContext context{*problem, timer, k++};
    method->move(method->measure(context), context, *optimisers);
  };
}

struct Work {
  std::string name;
  std::function<void()> run;
  int every = 1;  ///< takes part in each so-manieth round
  double fastest = 1e9;
};

/// Seconds of each, the fastest of the rounds. All take turns, so that what else the machine does hits all alike; the
/// first round does not count.
inline Json fastest_of(std::vector<Work> works, int rounds) {
  for (int round = 0; round <= rounds; ++round) {
    for (auto& work : works) {
      if (round % std::min(work.every, std::max(rounds, 1)) != 0) continue;  // few rounds: at least once
      const base::Stopwatch watch;
      work.run();
      if (round > 0) work.fastest = std::min(work.fastest, watch.seconds());
    }
  }
  Json out;
  for (const auto& work : works) out[work.name] = work.fastest;
  return out;
}

}  // namespace moblo::bench
