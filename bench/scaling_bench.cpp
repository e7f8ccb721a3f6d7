// Seconds of a step of the bi-level methods on hyper-cleaning's network, one of T, p, m, n, the batch and the threads
// changed at a time. One JSON object: per factor its values, and per method the seconds, fastest of the rounds.
//
//   scaling_bench [rounds] [factor...]      all of them where none is named

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "bench/cleaning_steps.hpp"
#include "moblo/base/runtime.hpp"

namespace {

using namespace moblo;
using namespace moblo::bench;

struct Step {
  CleaningShape shape;
  std::int64_t inner_steps = 16;
  int threads = 1;  ///< what else a machine does disturbs two that wait for each other more than one
};

struct Factor {
  std::string name;
  std::vector<std::int64_t> values;
  std::function<void(Step&, std::int64_t)> set;
  std::function<std::int64_t(std::int64_t)> size;  ///< what the value stands for, where not itself
};

/// Of the two layers and the heads of two tasks.
std::int64_t parameters(std::int64_t first) {
  const std::int64_t second = first / 2;
  return first * (pixels + 1) + second * (first + 1) + 2 * classes * (second + 1);
}

std::vector<Factor> factors() {
  return {
      {"T", {4, 16, 64, 256}, [](Step& step, std::int64_t value) { step.inner_steps = value; }, {}},
      {"p", {128, 256, 512, 1024, 2048}, [](Step& step, std::int64_t value) { step.shape.first = value; }, parameters},
      {"m", {1, 2, 4, 8}, [](Step& step, std::int64_t value) { step.shape.tasks = value; }, {}},
      {"n",
       {5'000, 20'000, 80'000},
       [](Step& step, std::int64_t value) { step.shape.samples = value; },
       [](std::int64_t value) { return 2 * value; }},
      {"batch", {25, 50, 100, 200, 400}, [](Step& step, std::int64_t value) { step.shape.batch = value; }, {}},
      {"threads", {1, 2}, [](Step& step, std::int64_t value) { step.threads = static_cast<int>(value); }, {}}};
}

/// The methods take turns; the values do not, since a change of the number of threads costs milliseconds.
Json measured(const Factor& factor, int rounds) {
  Json row{{"factor", factor.name}};
  for (const auto value : factor.values) {
    row["values"].push_back(factor.size ? factor.size(value) : value);
    Step step;
    factor.set(step, value);
    lab::experiments::set_threads(step.threads);
    std::vector<Work> works;
    for (const auto* method : {"forum", "bome", "moml", "moco"}) {
      works.push_back({method, step_of(step.shape, method, {{"inner_steps", step.inner_steps}})});
    }
    const Json seconds = fastest_of(std::move(works), rounds);
    for (const auto& [method, fastest] : seconds.items()) row["seconds"][method].push_back(fastest);
  }
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  torch::manual_seed(1);
  Json out = lab::experiments::describe_process();
  const std::vector<std::string> chosen(argv + std::min(argc, 2), argv + argc);
  for (const auto& factor : factors()) {
    const bool wanted = chosen.empty() || std::find(chosen.begin(), chosen.end(), factor.name) != chosen.end();
    if (wanted) out["factors"].push_back(measured(factor, rounds));
  }
  fmt::print("{}\n", out.dump(2));
}
