// The step of FORUM on a problem whose losses go through autograd, as a user's own would: the twin of the one in
// python_bench.py, operation by operation. Prints milliseconds of the fastest step.
//
//   autograd_bench STEPS
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <vector>

#include "moblo/conformance/synthetic.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/training/solver.hpp"

namespace {

using namespace moblo;

/// Hyper-cleaning's network and sizes, on random data of two datasets.
class Cleaning : public BilevelProblem {
 public:
  Cleaning() {
    torch::manual_seed(0);
    std::vector<TensorDataset> training, trusted;
    for (int i = 0; i < 2; ++i) {
      training.push_back({torch::rand({5000, 784}), torch::randint(10, {5000}, torch::kInt64)});
      trusted.push_back({torch::rand({1000, 784}), torch::randint(10, {1000}, torch::kInt64)});
      weights_.push_back(torch::zeros({5000}));
      upper_.add_rows(fmt::format("weights {}", i), weights_.back());
    }
    training_ = std::make_unique<TensorBatches>(training, 100, 1);
    trusted_ = std::make_unique<TensorBatches>(trusted, 100, 2);
    lower_.add("trunk", trunk_);
    lower_.add("first", first_);
    lower_.add("second", second_);
  }
  BatchStream& upper_batches() override { return *trusted_; }
  BatchStream& lower_batches() override { return *training_; }

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    return {error(batch, 0).mean(), error(batch, 1).mean()};
  }
  torch::Tensor lower_loss(const Batch& batch) override { return weighted(batch, 0) + weighted(batch, 1); }

 private:
  torch::Tensor error(const Batch& batch, int task) {
    const auto& part = batch.parts[static_cast<std::size_t>(task)];
    const auto features = trunk_->forward(part.inputs);
    const auto scores = task == 0 ? first_->forward(features) : second_->forward(features);
    return torch::nn::functional::cross_entropy(
        scores, part.targets, torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
  }
  torch::Tensor weighted(const Batch& batch, int task) {
    const auto& indices = batch.parts[static_cast<std::size_t>(task)].indices;
    return (torch::sigmoid(upper_.rows(fmt::format("weights {}", task), indices)) * error(batch, task)).mean();
  }

  torch::nn::Sequential trunk_{torch::nn::Linear(784, 512), torch::nn::ReLU(), torch::nn::Linear(512, 256),
                               torch::nn::ReLU()};
  torch::nn::Linear first_{256, 10}, second_{256, 10};
  std::vector<torch::Tensor> weights_;
  std::unique_ptr<TensorBatches> training_, trusted_;
};

double fastest_step(BilevelProblem& problem, int steps, std::int64_t inner_steps) {
  Forum forum({.inner_steps = inner_steps, .inner_step_size = 0.05, .rho = 0.5});
  Solver solver(problem, forum);
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < steps; ++k) {
    const auto begun = std::chrono::steady_clock::now();
    solver.step();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begun;
    best = std::min(best, taken.count());
  }
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  const int steps = count > 1 ? std::atoi(arguments[1]) : 10;
  at::set_num_threads(1);
  conformance::Synthetic small;
  Cleaning large;
  const double milliseconds_small = fastest_step(small, 200 * steps, 50),
               milliseconds_large = fastest_step(large, steps, 16);
  fmt::print("{{\"synthetic\": {}, \"network\": {}}}\n", milliseconds_small, milliseconds_large);
}
