#include "lab/problems/fairness.hpp"

#include <fmt/format.h>
#include <torch/torch.h>

#include "lab/nets/initial_weights.hpp"
#include "lab/problems/fairness_measures.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::problems {
namespace {

TensorDataset one_after_another(const TensorDataset& a, const TensorDataset& b) {
  return {torch::cat({a.inputs, b.inputs}), torch::cat({a.targets, b.targets})};
}

torch::Tensor cross_entropies(const torch::Tensor& odds, const torch::Tensor& cells, at::Reduction::Reduction how) {
  return torch::binary_cross_entropy_with_logits(odds, labels_of_cells(cells).to(odds.scalar_type()), {}, {}, how);
}

}  // namespace

Fairness::Fairness(const FairnessOptions& options, std::uint64_t seed)
    : options_(options), data_(make_fairness_data(options, seed)) {
  build_network(derive_seed(seed, "initial weights"));
  const bool alone = options.baseline == FairnessBaseline::none;
  const auto training = alone ? data_.train : one_after_another(data_.train, data_.validation);
  add_weights(training.targets);
  training_stream_ =
      std::make_unique<TensorBatches>(std::vector{training}, options.batch, derive_seed(seed, "training"));
  validation_stream_ = std::make_unique<TensorBatches>(std::vector{data_.validation}, options.validation_batch,
                                                       derive_seed(seed, "held out"));
  data_.train = {};  // the stream's alone
}

void Fairness::build_network(std::uint64_t seed) {
  Rng rng(seed);
  auto width = data_.train.inputs.size(1);
  const auto layer = [&](torch::nn::Linear& to, const char* name, std::int64_t outputs) {
    to = torch::nn::Linear(width, outputs);
    to->to(problem::scalar_type(options_.dtype));
    nets::draw_weights(*to, rng);
    lower_.add(name, *to);
    width = outputs;
  };
  if (options_.hidden > 0) layer(hidden_, "hidden", options_.hidden);
  layer(output_, "output", 1);
}

void Fairness::add_weights(const torch::Tensor& training_cells) {
  training_cells_ = training_cells;
  const auto type = problem::scalar_type(options_.dtype);
  const bool own = options_.weights == WeightsPer::sample && options_.baseline == FairnessBaseline::none;
  alpha_ = torch::zeros({own ? training_cells.size(0) : data_.cells()}, type);
  own ? upper_.add_rows("weights", alpha_) : upper_.add("weights", alpha_);
  fixed_ = torch::ones({data_.cells()}, type);
  if (options_.baseline == FairnessBaseline::reweighing) {
    fixed_ = torch::tensor(independent_weights(training_cells, data_.cells() / 2), torch::kFloat64).to(type);
  }
}

/// Of a positive label.
torch::Tensor Fairness::log_odds(const torch::Tensor& inputs) {
  return output_->forward(hidden_ ? torch::relu(hidden_->forward(inputs)) : inputs).squeeze(1);
}

torch::Tensor Fairness::weights_of(const BatchPart& part) {
  // alpha is read, as a variable of the upper level must be, and changes nothing
  if (options_.baseline != FairnessBaseline::none) return fixed_.index_select(0, part.targets) + 0 * alpha_.sum();
  const bool own = options_.weights == WeightsPer::sample;
  const auto alpha = own ? upper_.rows("weights", part.indices) : alpha_.index_select(0, part.targets);
  return 2 * torch::sigmoid(alpha);
}

torch::Tensor Fairness::gap(const torch::Tensor& odds, const torch::Tensor& cells) const {
  return squared_gap(torch::sigmoid(odds), cells, data_.cells() / 2, options_.measure);
}

std::vector<torch::Tensor> Fairness::upper_losses(const Batch& batch) {
  const auto& part = batch.parts[0];
  const auto odds = log_odds(part.inputs);
  return {cross_entropies(odds, part.targets, at::Reduction::Mean), gap(odds, part.targets)};
}

torch::Tensor Fairness::lower_loss(const Batch& batch) {
  const auto& part = batch.parts[0];
  const auto odds = log_odds(part.inputs);
  auto loss = (weights_of(part) * cross_entropies(odds, part.targets, at::Reduction::None)).mean() +
              options_.ridge / 2 * output_->weight.square().sum();
  if (hidden_) loss = loss + options_.ridge / 2 * hidden_->weight.square().sum();
  if (options_.baseline == FairnessBaseline::penalty) loss = loss + options_.penalty * gap(odds, part.targets);
  return loss;
}

/// Means over the samples of each cell.
torch::Tensor Fairness::weights_of_cells() {
  if (options_.baseline != FairnessBaseline::none) return fixed_;
  const auto weights = 2 * torch::sigmoid(alpha_);
  if (options_.weights == WeightsPer::group_label) return weights;
  const auto sums = torch::zeros({data_.cells()}, weights.options()).index_add_(0, training_cells_, weights);
  return sums / torch::bincount(training_cells_, {}, data_.cells()).clamp_min(1);
}

std::vector<std::pair<std::string, double>> Fairness::evaluate() {
  const torch::NoGradGuard no_grad;
  std::vector<std::pair<std::string, double>> metrics;
  const auto add = [&](const std::string& part, const TensorDataset& samples, bool by_group) {
    if (!samples.inputs.defined()) return;
    const auto odds = log_odds(samples.inputs);
    metrics.emplace_back(part + " loss", cross_entropies(odds, samples.targets, at::Reduction::Mean).item().toDouble());
    metrics.emplace_back(part + " squared gap", gap(odds, samples.targets).item().toDouble());
    for (auto& metric : decision_metrics(part, odds, samples.targets, data_.groups, by_group)) {
      metrics.push_back(std::move(metric));
    }
  };
  add("validation", data_.validation, false);
  add("select", data_.select, false);
  add("test", data_.test, true);
  const auto weights = weights_of_cells();
  for (std::int64_t cell = 0; cell < data_.cells(); ++cell) {
    metrics.emplace_back(fmt::format("weight / {}, {}", data_.groups[static_cast<std::size_t>(cell / 2)],
                                     cell % 2 == 1 ? "positive" : "negative"),
                         weights[cell].item().toDouble());
  }
  return metrics;
}

}  // namespace moblo::lab::problems
