// Seconds of a FORUM step against the number of per-sample weights: hyper-cleaning's network and batch on samples whose
// images repeat, so that a hundred million of them need no more than their weights' memory.
//
//   weights_bench [T]

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "lab/experiments/runner.hpp"
#include "moblo/base/clock.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/problem/scattered_order.hpp"
#include "moblo/training/optimiser.hpp"

namespace {

using namespace moblo;

constexpr std::int64_t images = 5000, pixels = 784, classes = 10, batch_size = 100;

/// Sample i shows image i mod 5000.
class RepeatedImages : public BatchStream {
 public:
  RepeatedImages(std::int64_t samples, std::uint64_t seed)
      : order_(seed, samples),
        samples_(samples),
        inputs_(torch::rand({images, pixels})),
        targets_(torch::randint(classes, {images}, torch::kInt64)) {}

  Batch at(std::int64_t number) override {
    auto indices = torch::empty({batch_size}, torch::kInt64);
    for (std::int64_t i = 0; i < batch_size; ++i) {
      indices.data_ptr<std::int64_t>()[i] = order_((number * batch_size + i) % samples_);
    }
    const auto shown = indices.remainder(images);
    const auto inputs = inputs_.index_select(0, shown);
    return {.number = number, .parts = {{indices, inputs, targets_.index_select(0, shown)}}, .inputs = inputs};
  }

 private:
  problem::ScatteredOrder order_;
  std::int64_t samples_;
  torch::Tensor inputs_, targets_;
};

class ManyWeights : public BilevelProblem {
 public:
  explicit ManyWeights(std::int64_t samples) : training_(samples, 1), trusted_(1000, 2) {
    upper_.add_rows("weights", torch::zeros({samples}));
    lower_.add("hidden_1", *hidden_1_);
    lower_.add("hidden_2", *hidden_2_);
    lower_.add("head", *head_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    return {torch::cross_entropy_loss(scores(batch), batch.parts[0].targets)};
  }
  torch::Tensor lower_loss(const Batch& batch) override {
    const auto losses = torch::cross_entropy_loss(scores(batch), batch.parts[0].targets, {}, at::Reduction::None);
    return (torch::sigmoid(upper_.rows("weights", batch.parts[0].indices)) * losses).mean();
  }
  BatchStream& upper_batches() override { return trusted_; }
  BatchStream& lower_batches() override { return training_; }

 private:
  torch::Tensor scores(const Batch& batch) {
    return head_(torch::relu(hidden_2_(torch::relu(hidden_1_(batch.inputs)))));
  }

  torch::nn::Linear hidden_1_{pixels, 512}, hidden_2_{512, 256}, head_{256, classes};
  RepeatedImages training_, trusted_;
};

double fastest_step(std::int64_t samples, std::int64_t inner_steps) {
  ManyWeights problem(samples);
  ForumOptions options;
  options.inner_steps = inner_steps;
  Forum forum(options);
  forum.start(problem, 1);
  training::Optimisers optimisers({}, problem, 1000);
  double fastest = 1e9;
  for (std::int64_t k = 0; k < 60; ++k) {
    const base::Stopwatch watch;
    PhaseTimer timer;
    const auto before = forum.before_step();
    optimisers.begin(k);
    const problem::SlicesOpen slices(problem.upper());
    const StepContext context{problem, timer, k};
    forum.move(forum.measure(context), context, optimisers);
    if (k >= 5) fastest = std::min(fastest, watch.seconds());
  }
  return fastest;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t inner_steps = argc > 1 ? std::atoll(argv[1]) : 1;
  lab::experiments::set_threads(1);
  fmt::print("{:>12}  {:>14}  {:>8}   (T = {}, one thread, fastest of 55 steps)\n", "weights", "milliseconds", "ratio",
             inner_steps);
  double first = 0;
  for (const std::int64_t samples : {10'000LL, 1'000'000LL, 100'000'000LL}) {
    const double seconds = fastest_step(samples, inner_steps);
    if (first == 0) first = seconds;
    fmt::print("{:>12}  {:>14.3f}  {:>8.3f}\n", samples, 1e3 * seconds, seconds / first);
  }
}
