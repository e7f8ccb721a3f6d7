#include "lab/problems/adult.hpp"

#include <fmt/format.h>

#include "lab/data/dataset_store.hpp"
#include "lab/data/digest.hpp"
#include "lab/data/split.hpp"
#include "lab/nets/initial_weights.hpp"
#include "lab/problems/to_tensors.hpp"
#include "lab/readers/adult.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::problems {
namespace {

using Metrics = std::vector<std::pair<std::string, double>>;

/// A target holds label and group: 2 group + label, which is also the number of the sample's cell.
torch::Tensor labels_of_cells(const torch::Tensor& cells) {
  return cells.remainder(2);
}

torch::Tensor groups_of_cells(const torch::Tensor& cells) {
  return cells.div(2, "floor");
}

TensorDataset dataset_of(const readers::People& people, const std::vector<std::int64_t>& rows) {
  const auto features = static_cast<std::int64_t>(people.features.size());
  const auto all = to_tensor(people.inputs, {people.count(), features});
  const auto chosen = torch::tensor(rows, torch::kInt64);
  const auto cells = 2 * to_tensor(people.group, {people.count()}) + to_tensor(people.income, {people.count()});
  return {all.index_select(0, chosen), cells.index_select(0, chosen)};
}

/// Mean of `values` where `chosen`; 0 where nobody is chosen, so that a batch without a group has no gap and no NaN.
torch::Tensor mean_of(const torch::Tensor& values, const torch::Tensor& chosen) {
  const auto weights = chosen.to(values.scalar_type());
  return (values * weights).sum() / weights.sum().clamp_min(1);
}

/// Mean of the larger group less that of the other, among all samples or those with y = 1.
torch::Tensor gap_of(const torch::Tensor& values, const torch::Tensor& cells, FairnessGap gap) {
  const auto counted = gap == FairnessGap::parity ? torch::ones_like(cells) : labels_of_cells(cells);
  const auto groups = groups_of_cells(cells);
  return mean_of(values, counted * groups) - mean_of(values, counted * (1 - groups));
}

void add_scores(Metrics& metrics, const std::string& part, const torch::Tensor& scores, const torch::Tensor& cells) {
  const auto labels = labels_of_cells(cells), predicted = scores.gt(0).to(torch::kFloat64);
  const auto gap = [&](FairnessGap which) { return 100 * gap_of(predicted, cells, which).abs().item().toDouble(); };
  metrics.emplace_back(part + " accuracy", 100 * predicted.eq(labels).to(torch::kFloat64).mean().item().toDouble());
  metrics.emplace_back(part + " parity gap", gap(FairnessGap::parity));
  metrics.emplace_back(part + " opportunity gap", gap(FairnessGap::opportunity));
}

}  // namespace

Adult::Adult(const AdultOptions& options, std::uint64_t seed) : options_(options) {
  const auto folder = data::require_dataset(data::find_dataset("fairness"), options.data);
  const auto people = readers::read_adult(folder, options.group == ProtectedColumn::sex ? "sex" : "race");
  std::vector<std::int64_t> published_train, published_test;
  for (std::int64_t i = 0; i < people.count(); ++i) {
    (people.test[static_cast<std::size_t>(i)] ? published_test : published_train).push_back(i);
  }
  auto parts =
      data::draw_parts(static_cast<std::int64_t>(published_train.size()),
                       {options.train, options.upper, options.select}, derive_seed(seed, "adult"), folder.string());
  for (auto& part : parts) {
    for (auto& row : part) row = published_train[static_cast<std::size_t>(row)];
  }
  select_ = dataset_of(people, parts[2]);
  test_ = dataset_of(people, published_test);
  provenance_["files"] = people.provenance;
  for (const auto& part : parts) provenance_["samples_sha256"].push_back(data::sha256(part));

  Rng rng(derive_seed(seed, "initial weights"));
  auto width = static_cast<std::int64_t>(people.features.size());
  const auto layer = [&](torch::nn::Linear& to, const char* name, std::int64_t outputs) {
    to = torch::nn::Linear(width, outputs);
    nets::draw_weights(*to, rng);
    lower_.add(name, *to);
    width = outputs;
  };
  if (options.hidden > 0) layer(hidden_, "hidden", options.hidden);
  layer(output_, "output", 1);
  const bool own = options.weights == WeightedUnit::samples;
  alpha_ = torch::zeros({own ? options.train : 4});
  own ? upper_.add_rows("weights", alpha_) : upper_.add("weights", alpha_);
  training_ = std::make_unique<TensorBatches>(std::vector{dataset_of(people, parts[0])}, options.batch,
                                              derive_seed(seed, "training"));
  held_out_ = std::make_unique<TensorBatches>(std::vector{dataset_of(people, parts[1])}, options.upper_batch,
                                              derive_seed(seed, "held out"));
}

/// Log-odds of a high income.
torch::Tensor Adult::scores(const torch::Tensor& inputs) {
  return output_->forward(hidden_ ? torch::relu(hidden_->forward(inputs)) : inputs).squeeze(1);
}

torch::Tensor Adult::trust(const BatchPart& part) {
  const bool own = options_.weights == WeightedUnit::samples;
  const auto alpha = own ? upper_.rows("weights", part.indices) : alpha_.index_select(0, part.targets);
  return 2 * torch::sigmoid(alpha);
}

std::vector<torch::Tensor> Adult::upper_losses(const Batch& batch) {
  const auto& part = batch.parts[0];
  const auto odds = scores(part.inputs);
  const auto loss = torch::binary_cross_entropy_with_logits(odds, labels_of_cells(part.targets).to(odds.scalar_type()));
  return {loss, gap_of(torch::sigmoid(odds), part.targets, options_.gap).square()};
}

torch::Tensor Adult::lower_loss(const Batch& batch) {
  const auto& part = batch.parts[0];
  const auto odds = scores(part.inputs);
  const auto losses = torch::binary_cross_entropy_with_logits(
      odds, labels_of_cells(part.targets).to(odds.scalar_type()), {}, {}, at::Reduction::None);
  auto loss = (trust(part) * losses).mean() + options_.ridge / 2 * output_->weight.square().sum();
  return hidden_ ? loss + options_.ridge / 2 * hidden_->weight.square().sum() : loss;
}

Metrics Adult::evaluate() {
  const torch::NoGradGuard no_grad;
  Metrics metrics;
  add_scores(metrics, "select", scores(select_.inputs), select_.targets);
  add_scores(metrics, "test", scores(test_.inputs), test_.targets);
  if (options_.weights == WeightedUnit::samples) return metrics;
  const auto weights = 2 * torch::sigmoid(alpha_);
  constexpr const char* names[] = {"smaller group, low", "smaller group, high", "larger group, low",
                                   "larger group, high"};
  for (std::int64_t i = 0; i < 4; ++i) {
    metrics.emplace_back(fmt::format("weight / {}", names[i]), weights[i].item().toDouble());
  }
  return metrics;
}

const OptionTable<AdultOptions>& AdultOptions::table() {
  static const auto table = [] {
    using O = AdultOptions;
    OptionTable<O> t;
    t.add("data", &O::data, "directory that holds fairness/adult.csv; empty = MOBLO_DATA or the cache");
    t.add("group", &O::group, "the protected column; it is not an input of the network");
    t.add("gap", &O::gap, "parity: of everybody's scores; opportunity: of the scores of those with a high income");
    t.add("weights", &O::weights, "one for each group and label, or one per training sample");
    t.add("train", &O::train, "training samples", at_least(1));
    t.add("upper", &O::upper, "samples of the upper losses", at_least(1));
    t.add("select", &O::select, "samples that choose a model", at_least(1));
    t.add("hidden", &O::hidden, "width of a hidden layer; 0 = logistic regression", at_least(0));
    t.add("ridge", &O::ridge, "factor of |w|^2 / 2 in the lower loss", at_least(0));
    t.add("batch", &O::batch, "training samples in a batch", at_least(1));
    t.add("upper_batch", &O::upper_batch, "samples in a batch of the upper losses", at_least(1));
    return t;
  }();
  return table;
}

ProblemInfo adult_info() {
  return problem::make_problem_info<Adult, AdultOptions>(
      "adult", "fairness: weights of groups or samples, accuracy against the gap between two groups (Adult)",
      {.interchangeable_batches = false});
}

}  // namespace moblo::lab::problems
