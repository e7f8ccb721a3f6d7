// What a step spends on weights and direction (Gramian, small solve, combination) and on gathering its batch beside its
// backward passes, one per task: the networks of NYUv2 (3 tasks) and QM9 (11) as their two-core experiments have them,
// and a lab::nets::ResNet-18 with 40 heads on 256 images of 64 x 64 (the attributes of CelebA, at the batch that its
// users take).
//
//   aggregation_bench [repeats]

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "lab/experiments/runner.hpp"
#include "lab/nets/deeplab.hpp"
#include "lab/nets/initial_weights.hpp"
#include "lab/nets/mpnn.hpp"
#include "lab/nets/resnet.hpp"
#include "lab/problems/multitask.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/methods/registry.hpp"
#include "tests/lab/nets/made_molecules.hpp"

namespace {

using namespace moblo;

/// Squares of what the heads say: the cost of a backward pass does not depend on the loss.
lab::problems::Task squares(std::size_t number) {
  return {fmt::format("task {}", number),
          [](const torch::Tensor& outputs, const torch::Tensor&) { return outputs.square().mean(); },
          [] { return std::unique_ptr<lab::problems::TaskScore>(); }};
}

std::unique_ptr<BilevelProblem> problem_of(std::size_t tasks, const torch::Tensor& inputs,
                                           const lab::problems::NetworkFactory& network) {
  std::vector<lab::problems::Task> all;
  for (std::size_t i = 0; i < tasks; ++i) all.push_back(squares(i));
  const TensorDataset data{inputs, torch::zeros({inputs.size(0)})};
  lab::problems::MultitaskOptions options;
  options.batch = inputs.size(0);
  return std::make_unique<lab::problems::Multitask>(
      std::move(all), lab::problems::MultitaskData{.train = {data}, .validation = {data}, .select = {}, .test = {}},
      network, options, 1);
}

std::unique_ptr<BilevelProblem> scenes() {
  return problem_of(3, torch::rand({8, 3, 96, 128}), [](const auto&, std::uint64_t seed) {
    Rng rng(seed);
    return lab::nets::make_deeplab({.depth = 18, .width = 16, .channels = 32}, rng);
  });
}

std::unique_ptr<BilevelProblem> molecules() {
  Rng rng(1);
  return problem_of(11, lab::nets::pack(lab::nets::testing::made_molecules(128, 29, 13, 23, rng)),
                    [](const auto&, std::uint64_t seed) {
                      Rng own(seed);
                      return lab::nets::make_mpnn({.tasks = 11}, own);
                    });
}

struct PooledImpl : torch::nn::Module {
  PooledImpl() : resnet(register_module("resnet", lab::nets::ResNet(lab::nets::ResNetOptions{}))) {}
  torch::Tensor forward(const torch::Tensor& images) { return resnet->forward(images).mean({2, 3}); }
  lab::nets::ResNet resnet;
};
TORCH_MODULE(Pooled);

std::unique_ptr<BilevelProblem> faces() {
  return problem_of(40, torch::rand({256, 3, 64, 64}), [](const auto&, std::uint64_t seed) {
    Rng rng(seed);
    Pooled trunk;
    trunk->resnet->draw_weights(rng);
    return lab::nets::assemble(torch::nn::AnyModule(trunk),
                               lab::nets::linear_heads(512, std::vector<std::int64_t>(40, 1), rng));
  });
}

/// The fastest of each phase.
std::map<std::string, double> phases(BilevelProblem& problem, const std::string& name, std::int64_t tasks,
                                     int repeats) {
  const auto method = make_method(name, find_method(name, "bench").resolve(Json::object(), {}));
  method->start(problem, tasks);
  std::map<std::string, double> fastest;
  const base::Stopwatch gathering;
  problem.lower_batches().next();
  fastest["batch"] = gathering.seconds();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    PhaseTimer timer;
    method->measure({problem, timer, repeat});
    for (const auto& [phase, seconds] : timer.seconds()) {
      const auto known = fastest.find(phase);
      fastest[phase] = known == fastest.end() ? seconds : std::min(known->second, seconds);
    }
  }
  return fastest;
}

void weightings(BilevelProblem& problem, const std::string& network, std::int64_t tasks, int repeats) {
  for (const auto* name : {"mgda", "nashmtl", "upgrad"}) {
    auto found = phases(problem, name, tasks, repeats);
    fmt::print("{:<26} {:>3} {:<8} {:>12.4f} {:>12.5f} {:>8.2f} % {:>10.5f}\n", network, tasks, name,
               found["gradients"], found["aggregation"], 100 * found["aggregation"] / found["gradients"],
               found["batch"]);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 3;
  lab::experiments::set_threads(0);
  torch::manual_seed(1);
  fmt::print("network                      m weighting   passes, s  aggregation    share       batch, s\n");
  weightings(*scenes(), "DeepLab, 8 of 96 x 128", 3, repeats);
  weightings(*molecules(), "MPNN, 128 molecules", 11, repeats);
  weightings(*faces(), "lab::nets::ResNet-18, 256 of 64 x 64", 40, 1);  // a step with 40 passes takes most of a minute
}
