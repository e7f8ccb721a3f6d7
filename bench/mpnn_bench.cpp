// Messages of edge-conditioned convolutions with and without a matrix for every edge, forward and backward: seconds and
// peak memory of molecules like QM9's (18 atoms on average, complete graphs, 64 features, 128 hidden units of edges).
//
//   mpnn_bench [molecules] [repeats]

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "lab/experiments/runner.hpp"
#include "lab/nets/edge_messages.hpp"
#include "moblo/base/clock.hpp"
#include "tests/lab/nets/made_molecules.hpp"
#include "tests/lab/nets/materialised_messages.hpp"

namespace {

using namespace moblo;

constexpr std::int64_t width = 64, units = 129;

/// A line of /proc/self/status in MB.
double status_megabytes(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name + ":")) return std::atof(line.c_str() + name.size() + 1) / 1024;
  }
  return 0;
}

struct Problem {
  lab::nets::EdgeArguments in;
  std::vector<std::int64_t> sizes;

  explicit Problem(std::int64_t molecules) {
    Rng rng(1);
    const auto batch =
        lab::nets::unpack(lab::nets::pack(lab::nets::testing::made_molecules(molecules, 29, 13, 23, rng)));
    const auto made = [&](std::int64_t rows, std::int64_t columns) {
      auto tensor = torch::empty({rows, columns});
      lab::nets::draw_uniform(tensor, 0.1, rng);
      return tensor.requires_grad_();
    };
    sizes = batch.sizes;
    in = {batch.pairs, made(units, batch.pairs.size(1)), made(batch.nodes.size(0), width), made(units * width, width)};
  }
};

using Pass = std::function<torch::Tensor(const torch::Tensor& nodes)>;
/// What each pass of a batch does.
using Form = std::function<Pass(const Problem&)>;

Pass reassociated(const Problem& problem) {
  return [&problem](const torch::Tensor& nodes) {
    auto in = problem.in;
    in.nodes = nodes;
    return lab::nets::edge_messages(in, problem.sizes);
  };
}

Pass materialised_anew(const Problem& problem) {
  const auto edges = lab::nets::testing::edges_of(problem.sizes);
  return [&problem, edges](const torch::Tensor& nodes) {
    return lab::nets::testing::messages_through(lab::nets::testing::edge_matrices(problem.in, edges), nodes, edges);
  };
}

Pass materialised_once(const Problem& problem) {
  const auto edges = lab::nets::testing::edges_of(problem.sizes);
  const auto kept = lab::nets::testing::edge_matrices(problem.in, edges);
  return [kept, edges](const torch::Tensor& nodes) { return lab::nets::testing::messages_through(kept, nodes, edges); };
}

struct Cost {
  double seconds = 1e9, megabytes = 0, loss = 0;
};

Cost cost_of(const Form& form, const Problem& problem, int passes, int repeats) {
  Cost cost;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << 5;  // forgets the peak
    const double before = status_megabytes("VmRSS");
    const base::Stopwatch watch;
    {
      const auto pass = form(problem);
      auto nodes = problem.in.nodes;
      for (int i = 0; i < passes; ++i) nodes = torch::tanh(pass(nodes) / 18);
      const auto loss = nodes.square().sum();
      torch::autograd::grad({loss}, {problem.in.weights, problem.in.nodes, problem.in.matrices});
      cost.loss = loss.item().toDouble();
    }
    cost.seconds = std::min(cost.seconds, watch.seconds());
    cost.megabytes = std::max(cost.megabytes, status_megabytes("VmHWM") - before);
  }
  return cost;
}

void compare(const Problem& problem, int passes, int repeats) {
  const std::vector<std::pair<std::string, Form>> forms{{"reassociated", reassociated},
                                                        {"matrices, once per batch", materialised_once},
                                                        {"matrices, every pass", materialised_anew}};
  const auto own = cost_of(reassociated, problem, passes, repeats);
  for (const auto& [name, form] : forms) {
    if (passes == 1 && name == "matrices, every pass") continue;  // the same as once
    const auto cost = name == "reassociated" ? own : cost_of(form, problem, passes, repeats);
    fmt::print("{:>6}  {:<24} {:>10.3f} {:>10.1f} {:>10.1f} {:>10.1f}   {:.6f}\n", passes, name, cost.seconds,
               cost.megabytes, cost.seconds / own.seconds, cost.megabytes / own.megabytes, cost.loss);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t molecules = argc > 1 ? std::atoll(argv[1]) : 128;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 3;
  lab::experiments::set_threads(1);
  const Problem problem(molecules);
  fmt::print("{} molecules, {} atoms, {} pairs; one thread, fastest of {}\n", molecules, problem.in.nodes.size(0),
             problem.in.pairs.size(0), repeats);
  fmt::print("{:>6}  {:<24} {:>10} {:>10} {:>10} {:>10}   {}\n", "passes", "form", "seconds", "peak MB", "times",
             "times", "loss");
  for (const int passes : {1, 3}) compare(problem, passes, repeats);
}
