#include "lab/problems/noisy_regression.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lab/metrics/auc.hpp"
#include "lab/nets/initial_weights.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::problems {
namespace {

torch::Tensor gaussian(at::IntArrayRef shape, double scale, Rng& rng) {
  auto out = torch::empty(shape, torch::kFloat64);
  nets::draw_normal(out, scale, rng);
  return out;
}

void initialise(torch::nn::Linear& layer, torch::ScalarType type, Rng& rng) {
  torch::NoGradGuard no_grad;
  layer->to(type);
  nets::draw_normal(layer->weight, 1 / std::sqrt(static_cast<double>(layer->weight.size(1))), rng);
  layer->bias.zero_();
}

std::string numbered(const char* stem, std::size_t i) {
  return fmt::format("{}_{}", stem, i + 1);
}

}  // namespace

NoisyRegression::NoisyRegression(const NoisyRegressionOptions& options, std::uint64_t seed) : options_(options) {
  Rng rng(derive_seed(seed, "noisy_regression"));
  const auto type = problem::scalar_type(options.dtype);
  trunk_ = torch::nn::Linear(options.features, options.hidden);
  initialise(trunk_, type, rng);
  lower_.add("trunk", *trunk_);

  std::vector<TensorDataset> training, trusted;
  for (std::size_t i = 0; i < static_cast<std::size_t>(options.tasks); ++i) {
    heads_.emplace_back(torch::nn::Linear(options.hidden, 1));
    initialise(heads_.back(), type, rng);
    lower_.add(numbered("head", i), *heads_.back());

    const auto truth = gaussian({options.features}, 1, rng);
    const auto draw = [&](std::int64_t count) {
      const auto inputs = gaussian({count, options.features}, 1, rng);
      return TensorDataset{inputs, torch::mv(inputs, truth).tanh() + gaussian({count}, 0.05, rng)};
    };
    auto noisy = draw(options.samples), clean = draw(options.trusted);
    spoilt_.push_back(torch::zeros({options.samples}, torch::kBool));
    for (std::int64_t j = 0; j < options.samples; ++j) {
      if (rng.uniform() >= options.spoilt) continue;
      spoilt_.back()[j] = true;
      noisy.targets[j] = -noisy.targets[j] + 2 * rng.normal();
    }
    training.push_back({noisy.inputs.to(type), noisy.targets.to(type)});
    trusted.push_back({clean.inputs.to(type), clean.targets.to(type)});
    weights_.push_back(torch::zeros({options.samples}, type));
    upper_.add_rows(numbered("weights", i), weights_.back());
  }
  training_ = std::make_unique<TensorBatches>(training, options.batch, derive_seed(seed, "training"));
  trusted_ = std::make_unique<TensorBatches>(trusted, options.batch, derive_seed(seed, "trusted"));
}

torch::Tensor NoisyRegression::predict(const torch::Tensor& inputs, std::size_t task) {
  return heads_[task]->forward(trunk_->forward(inputs).tanh()).squeeze(1);
}

std::vector<torch::Tensor> NoisyRegression::upper_losses(const Batch& batch) {
  std::vector<torch::Tensor> losses;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    losses.push_back((predict(batch.parts[i].inputs, i) - batch.parts[i].targets).square().mean());
  }
  return losses;
}

torch::Tensor NoisyRegression::lower_loss(const Batch& batch) {
  torch::Tensor total;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const auto& part = batch.parts[i];
    const auto trust = torch::sigmoid(upper_.rows(numbered("weights", i), part.indices));
    const auto loss = (trust * (predict(part.inputs, i) - part.targets).square()).mean();
    total = total.defined() ? total + loss : loss;
  }
  return total;
}

std::vector<std::pair<std::string, double>> NoisyRegression::evaluate() {
  std::vector<std::pair<std::string, double>> metrics;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const auto score = (-weights_[i]).to(torch::kFloat64).contiguous();
    std::vector<double> scores(score.data_ptr<double>(), score.data_ptr<double>() + score.numel());
    std::vector<bool> positive;
    for (std::int64_t j = 0; j < spoilt_[i].numel(); ++j) positive.push_back(spoilt_[i][j].item().toBool());
    if (const auto auc = metrics::area_under_roc(scores, positive))
      metrics.emplace_back(numbered("detection_auc", i), *auc);
  }
  return metrics;
}

const OptionTable<NoisyRegressionOptions>& NoisyRegressionOptions::table() {
  static const auto table = [] {
    using O = NoisyRegressionOptions;
    OptionTable<O> t;
    t.add("tasks", &O::tasks, "number of regressions, one objective each", within(1, 100));
    t.add("samples", &O::samples, "training samples per task", at_least(1));
    t.add("trusted", &O::trusted, "clean validation samples per task", at_least(1));
    t.add("features", &O::features, "inputs", at_least(1));
    t.add("hidden", &O::hidden, "width of the shared hidden layer", at_least(1));
    t.add("batch", &O::batch, "samples per task in a batch", at_least(1));
    t.add("spoilt", &O::spoilt, "share of the training targets that are wrong", within(0, 1));
    t.add("dtype", &O::dtype, problem::dtype_help);
    return t;
  }();
  return table;
}

ProblemInfo noisy_regression_info() {
  return problem::make_problem_info<NoisyRegression, NoisyRegressionOptions>(
      "noisy_regression", "hyper-cleaning in miniature: one weight per training sample, mini-batches, a small network",
      {.interchangeable_batches = false});
}

}  // namespace moblo::lab::problems
