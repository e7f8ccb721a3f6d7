#include "lab/problems/decays.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lab/nets/initial_weights.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::problems {
namespace {

torch::Tensor normal_numbers(at::IntArrayRef shape, Rng& rng) {
  auto out = torch::empty(shape, torch::kFloat64);
  nets::draw_normal(out, 1, rng);
  return out;
}

/// Gaussian classes about `centres`, all of one width.
TensorDataset draw_samples(const torch::Tensor& centres, std::int64_t count, Rng& rng) {
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < count; ++i) {
    labels.push_back(static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(centres.size(0)))));
  }
  const auto targets = torch::tensor(labels, torch::kInt64);
  return {centres.index_select(0, targets) + normal_numbers({count, centres.size(1)}, rng), targets};
}

TensorDataset disturbed(const TensorDataset& samples, double deviation, Rng& rng) {
  return {samples.inputs + deviation * normal_numbers(samples.inputs.sizes(), rng), samples.targets};
}

void spoil(TensorDataset& samples, double share, std::int64_t classes, Rng& rng) {
  for (std::int64_t i = 0; i < samples.targets.size(0); ++i) {
    if (rng.uniform() < share) {
      samples.targets[i] = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(classes)));
    }
  }
}

}  // namespace

Decays::Decays(const DecaysOptions& options, std::uint64_t seed) : options_(options) {
  Rng rng(derive_seed(seed, "decays"));
  const auto type = problem::scalar_type(options.dtype);
  const auto typed = [type](const TensorDataset& samples) {
    return TensorDataset{samples.inputs.to(type), samples.targets};
  };

  auto centres = normal_numbers({options.classes, options.features}, rng);
  centres.slice(1, std::min(options.informative, options.features)).zero_();
  auto training = draw_samples(centres, options.samples, rng);
  spoil(training, options.wrong, options.classes, rng);
  const auto held_out = draw_samples(centres, options.held_out, rng), test = draw_samples(centres, options.test, rng);
  training_ =
      std::make_unique<TensorBatches>(std::vector{typed(training)}, options.batch, derive_seed(seed, "training"));
  held_out_ =
      std::make_unique<TensorBatches>(std::vector{typed(held_out), typed(disturbed(held_out, options.disturbed, rng))},
                                      options.batch, derive_seed(seed, "held out"));
  test_ = typed(test);
  disturbed_test_ = typed(disturbed(test, options.disturbed, rng));

  const std::int64_t widths[] = {options.features, options.hidden, options.hidden, options.classes};
  for (std::size_t i = 0; i < 3; ++i) {
    layers_.emplace_back(torch::nn::Linear(widths[i], widths[i + 1]));
    layers_.back()->to(type);
    nets::draw_weights(*layers_.back(), rng);
    lower_.add(fmt::format("layer_{}", i + 1), *layers_.back());
  }
  alpha_ = torch::full({4}, std::log(1e-3), torch::TensorOptions(type));
  alpha_[3] = std::log(0.02 / 0.98);
  upper_.add("alpha", alpha_);
}

torch::Tensor Decays::predict(const torch::Tensor& inputs) {
  return layers_[2]->forward(layers_[1]->forward(layers_[0]->forward(inputs).tanh()).tanh());
}

std::vector<torch::Tensor> Decays::upper_losses(const Batch& batch) {
  std::vector<torch::Tensor> losses;
  for (const auto& part : batch.parts) losses.push_back(torch::cross_entropy_loss(predict(part.inputs), part.targets));
  return losses;
}

torch::Tensor Decays::lower_loss(const Batch& batch) {
  const auto& part = batch.parts[0];
  const auto log_scores = torch::log_softmax(predict(part.inputs), 1);
  const auto s = smoothing();
  auto loss = (1 - s) * torch::nll_loss(log_scores, part.targets) - s * log_scores.mean();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto decay = alpha_[static_cast<std::int64_t>(i)].exp();
    loss = loss + decay / 2 * layers_[i]->weight.square().sum();
  }
  return loss;
}

std::vector<std::pair<std::string, double>> Decays::evaluate() {
  const torch::NoGradGuard no_grad;
  std::vector<std::pair<std::string, double>> metrics;
  const auto add = [&](const std::string& name, const TensorDataset& samples) {
    const auto scores = predict(samples.inputs);
    metrics.emplace_back("test loss / " + name, torch::cross_entropy_loss(scores, samples.targets).item().toDouble());
    const auto right = scores.argmax(1).eq(samples.targets).to(torch::kFloat64);
    metrics.emplace_back("test accuracy / " + name, 100 * right.mean().item().toDouble());
  };
  add("as it is", test_);
  add("disturbed", disturbed_test_);
  for (std::int64_t i = 0; i < 3; ++i) {
    metrics.emplace_back(fmt::format("decay / layer {}", i + 1), alpha_[i].exp().item().toDouble());
  }
  metrics.emplace_back("smoothing", smoothing().item().toDouble());
  return metrics;
}

const OptionTable<DecaysOptions>& DecaysOptions::table() {
  static const auto table = [] {
    using O = DecaysOptions;
    OptionTable<O> t;
    t.add("classes", &O::classes, "Gaussian classes", at_least(2));
    t.add("features", &O::features, "inputs", at_least(1));
    t.add("informative", &O::informative, "inputs in which the classes differ", at_least(1));
    t.add("samples", &O::samples, "training samples", at_least(1));
    t.add("held_out", &O::held_out, "samples of the upper losses", at_least(1));
    t.add("test", &O::test, "test samples", at_least(1));
    t.add("hidden", &O::hidden, "width of the two hidden layers", at_least(1));
    t.add("batch", &O::batch, "samples in a batch", at_least(1));
    t.add("wrong", &O::wrong, "share of the training labels that are drawn again", within(0, 1));
    t.add("disturbed", &O::disturbed, "deviation of what is added to the inputs of F_2", at_least(0));
    t.add("dtype", &O::dtype, problem::dtype_help);
    return t;
  }();
  return table;
}

ProblemInfo decays_info() {
  return problem::make_problem_info<Decays, DecaysOptions>(
      "decays", "three weight decays and label smoothing of a small network, for plain and for disturbed inputs",
      {.interchangeable_batches = false});
}

}  // namespace moblo::lab::problems
