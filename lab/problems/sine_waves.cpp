#include "lab/problems/sine_waves.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "lab/nets/initial_weights.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/gradients/lower_solve.hpp"

namespace moblo::lab::problems {
namespace {

constexpr std::array layer_names{"layer1.weight", "layer1.bias",   "layer2.weight",
                                 "layer2.bias",   "layer3.weight", "layer3.bias"};
constexpr std::array family_names{"sine", "line"};

double uniform(double low, double high, Rng& rng) {
  return low + (high - low) * rng.uniform();
}

/// One task: y as a function of x.
struct Curve {
  std::size_t family;
  double a, b;

  Curve(std::size_t which, std::uint64_t seed) : family(which) {
    Rng rng(seed);
    a = family == 0 ? uniform(0.1, 5, rng) : uniform(-1, 1, rng);
    b = family == 0 ? uniform(0, std::numbers::pi, rng) : uniform(-2, 2, rng);
  }
  double at(double x) const { return family == 0 ? a * std::sin(x - b) : a * x + b; }
};

/// Which tasks, and how many points of each. A task is a function of the seed, its family and its number.
struct Draw {
  std::size_t family;
  std::uint64_t seed;
  const char* pool;
  std::int64_t points;
  torch::ScalarType type;

  BatchPart of(const std::vector<std::int64_t>& tasks, std::uint64_t points_seed) const {
    const auto count = static_cast<std::int64_t>(tasks.size());
    auto x = torch::empty({count, points, 1}, torch::kFloat64), y = torch::empty_like(x);
    auto *to_x = x.data_ptr<double>(), *to_y = y.data_ptr<double>();
    Rng rng(points_seed);
    for (const auto task : tasks) {
      const Curve curve(family, derive_seed(derive_seed(seed, pool, family), "task", static_cast<std::uint64_t>(task)));
      for (std::int64_t i = 0; i < points; ++i) {
        *to_x = uniform(-5, 5, rng);
        *to_y++ = curve.at(*to_x++);
      }
    }
    return {torch::tensor(tasks, torch::kInt64), x.to(type), y.to(type)};
  }
};

/// Batch k of shots and batch k of queries are of the same tasks; one part per family.
class TaskBatches : public BatchStream {
 public:
  TaskBatches(const SineWavesOptions& options, std::int64_t points, const char* purpose, std::uint64_t seed)
      : options_(options), points_(points), purpose_(purpose), seed_(seed) {}

  Batch at(std::int64_t number) override {
    const auto epoch = static_cast<std::uint64_t>(number / epoch_length());
    const std::int64_t first = number % epoch_length() * options_.batch;
    Batch batch{.number = number, .parts = {}, .inputs = {}};
    for (std::size_t family = 0; family < (options_.lines ? 2 : 1); ++family) {
      Rng order(derive_seed(derive_seed(seed_, "order", family), "epoch", epoch));
      const auto all = order.permutation(options_.tasks);
      const std::vector<std::int64_t> tasks(all.begin() + first, all.begin() + first + options_.batch);
      const Draw draw{family, seed_, "training tasks", points_, problem::scalar_type(options_.dtype)};
      auto part = draw.of(
          tasks, derive_seed(derive_seed(seed_, purpose_, family), "batch", static_cast<std::uint64_t>(number)));
      part.indices += static_cast<std::int64_t>(family) * options_.tasks;  // lines have the rows behind the sines'
      batch.parts.push_back(std::move(part));
    }
    return batch;
  }
  std::int64_t epoch_length() const override { return options_.tasks / options_.batch; }

 private:
  SineWavesOptions options_;
  std::int64_t points_;
  const char* purpose_;
  std::uint64_t seed_;
};

}  // namespace

SineWaves::SineWaves(const SineWavesOptions& options, std::uint64_t seed) : options_(options) {
  const auto type = problem::scalar_type(options.dtype);
  const std::array<std::array<std::int64_t, 2>, 3> layers{
      {{1, options.hidden}, {options.hidden, options.hidden}, {options.hidden, 1}}};
  const std::int64_t families = options.lines ? 2 : 1, rows = families * options.tasks;
  Rng rng(derive_seed(seed, "initial weights"));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto [in, out] = layers[i];
    auto weight = torch::empty({in, out}, type), bias = torch::empty({1, out}, type);
    const double bound = 1 / std::sqrt(static_cast<double>(in));  // torch's rule
    nets::draw_uniform(weight, bound, rng);
    nets::draw_uniform(bias, bound, rng);
    for (const auto& [at, tensor] : {std::pair{2 * i, weight}, std::pair{2 * i + 1, bias}}) {
      start_[at] = tensor;
      upper_.add(layer_names[at], tensor);
      lower_.add_rows(layer_names[at], tensor.detach().unsqueeze(0).repeat({rows, 1, 1}));
    }
  }
  shots_ = std::make_unique<TaskBatches>(options, options.shots, "shots", seed);
  queries_ = std::make_unique<TaskBatches>(options, options.queries, "queries", seed);

  std::vector<std::int64_t> tests(static_cast<std::size_t>(options.test_tasks));
  for (std::size_t i = 0; i < tests.size(); ++i) tests[i] = static_cast<std::int64_t>(i);
  for (std::size_t family = 0; family < static_cast<std::size_t>(families); ++family) {
    const auto draw = [&](std::int64_t points, const char* purpose) {
      return Draw{family, seed, "new tasks", points, type}.of(tests, derive_seed(seed, purpose, family));
    };
    test_shots_.push_back(draw(options.shots, "test shots"));
    test_queries_.push_back(draw(100, "test queries"));
  }
}

SineWaves::Network SineWaves::of_tasks(const torch::Tensor& indices) {
  Network network;
  for (std::size_t i = 0; i < network.size(); ++i) network[i] = lower_.rows(layer_names[i], indices);
  return network;
}

torch::Tensor SineWaves::predict(const Network& w, const torch::Tensor& inputs) {
  const auto first = torch::baddbmm(w[1], inputs, w[0]).relu();
  const auto second = torch::baddbmm(w[3], first, w[2]).relu();
  return torch::baddbmm(w[5], second, w[4]);
}

torch::Tensor SineWaves::errors(const Network& network, const BatchPart& points) {
  return (predict(network, points.inputs) - points.targets).square().mean({1, 2});
}

std::vector<torch::Tensor> SineWaves::upper_losses(const Batch& batch) {
  std::vector<torch::Tensor> losses;
  for (const auto& part : batch.parts) losses.push_back(errors(of_tasks(part.indices), part).mean());
  return losses;
}

std::vector<std::string> SineWaves::objective_names() const {
  if (!options_.lines) return {"query error"};
  return {"query error / sine", "query error / line"};
}

torch::Tensor SineWaves::lower_loss(const Batch& batch) {
  torch::Tensor total;
  for (const auto& part : batch.parts) {
    const auto network = of_tasks(part.indices);
    auto loss = errors(network, part).sum();
    for (std::size_t i = 0; i < network.size() && options_.proximal > 0; ++i) {
      loss = loss + (network[i] - start_[i]).square().sum() * (options_.proximal / 2);
    }
    total = total.defined() ? total + loss : loss;
  }
  return total;
}

/// New tasks, each with a network of its own that starts at alpha. They share nothing, so that the gradient of the sum
/// is each task's own.
class SineWaves::NewTasks : public BilevelProblem {
 public:
  NewTasks(const Network& start, const BatchPart& shots, std::int64_t tasks) : shots_(shots) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      network[i] = start[i].detach().unsqueeze(0).repeat({tasks, 1, 1});
      lower_.add(layer_names[i], network[i]);
    }
  }
  std::vector<torch::Tensor> upper_losses(const Batch&) override { return {}; }
  torch::Tensor lower_loss(const Batch&) override { return errors(network, shots_).sum(); }

  Network network;

 private:
  const BatchPart& shots_;
};

double SineWaves::test_error(std::size_t family, std::int64_t steps) {
  const torch::AutoGradMode with_gradients(true);
  NewTasks tasks(start_, test_shots_[family], options_.test_tasks);
  const auto adapted = solve_lower(tasks, {.steps = steps, .step_size = options_.test_step_size});
  const torch::NoGradGuard no_grad;
  const problem::BoundElsewhere there(tasks.lower(), adapted);
  return errors(tasks.network, test_queries_[family]).mean().item().toDouble();
}

std::vector<std::pair<std::string, double>> SineWaves::evaluate() {
  std::vector<std::pair<std::string, double>> metrics;
  for (std::size_t family = 0; family < test_shots_.size(); ++family) {
    for (const std::int64_t steps : {std::int64_t{0}, std::int64_t{1}, options_.test_steps}) {
      if (steps == 1 && options_.test_steps == 1) continue;
      metrics.emplace_back(fmt::format("test error after {} step{}{}", steps, steps == 1 ? "" : "s",
                                       options_.lines ? fmt::format(" / {}", family_names[family]) : ""),
                           test_error(family, steps));
    }
  }
  return metrics;
}

const OptionTable<SineWavesOptions>& SineWavesOptions::table() {
  static const auto table = [] {
    using O = SineWavesOptions;
    OptionTable<O> t;
    t.add("lines", &O::lines, "straight lines as a second family of tasks, with an objective of their own");
    t.add("tasks", &O::tasks, "training tasks per family", within(1, 1e6));
    t.add("batch", &O::batch, "tasks of a family in a batch", within(1, 1e6));
    t.add("shots", &O::shots, "points per task in the lower loss", within(1, 1e6));
    t.add("queries", &O::queries, "points per task in the upper loss", within(1, 1e6));
    t.add("hidden", &O::hidden, "width of the two hidden layers", within(1, 1e4));
    t.add("proximal", &O::proximal, "weight of |w - alpha|^2 / 2 in the lower loss", at_least(0));
    t.add("test_tasks", &O::test_tasks, "new tasks per family that are evaluated", within(1, 1e6));
    t.add("test_steps", &O::test_steps, "gradient steps on each new task", within(1, 1e6));
    t.add("test_step_size", &O::test_step_size, "of these steps", above(0));
    t.add("dtype", &O::dtype, problem::dtype_help);
    return t;
  }();
  return table;
}

void SineWavesOptions::refuse_contradictions(const OptionPlace& place) const {
  if (batch <= tasks) return;
  throw Error(ErrorKind::config, fmt::format("{} = {}", place.child("batch").text(), batch),
              fmt::format("there are {} tasks", tasks), "Choose a smaller batch, or more tasks");
}

ProblemInfo sine_waves_info() {
  return problem::make_problem_info<SineWaves, SineWavesOptions>(
      "sine_waves", "learned initialisation (MAML): regressions of few points, one network per task",
      {.interchangeable_batches = false});
}

}  // namespace moblo::lab::problems
