#include "lab/problems/cleaning.hpp"

#include <fmt/format.h>

#include "lab/metrics/auc.hpp"
#include "lab/metrics/classification.hpp"
#include "lab/nets/initial_weights.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/conformance/synthetic.hpp"

namespace moblo::lab::problems {
namespace {

constexpr std::int64_t judged_at_once = 1000;  // samples: the memory of their pass is that of few

torch::nn::Linear make_layer(std::int64_t inputs, std::int64_t outputs, torch::ScalarType type, Rng& rng) {
  torch::nn::Linear layer(inputs, outputs);
  layer->to(type);
  nets::draw_weights(*layer, rng);
  return layer;
}

std::string weights_name(const CleaningTask& task) {
  return "weights_" + task.name;
}

std::vector<std::int64_t> to_vector(const torch::Tensor& tensor) {
  const auto dense = tensor.to(torch::kInt64).contiguous();
  return {dense.data_ptr<std::int64_t>(), dense.data_ptr<std::int64_t>() + dense.numel()};
}

/// alpha at the start. +-10: sigmoid is 1 and 0 to 5e-5, and not so flat that single precision loses the gradient.
torch::Tensor starting_alpha(const CleaningTask& task, StartingWeights weights, torch::ScalarType type) {
  const auto samples = task.train.inputs.size(0);
  auto alpha = torch::zeros({samples}, type);
  if (weights == StartingWeights::equal) return alpha;
  if (static_cast<std::int64_t>(task.wrong.size()) != samples) {
    throw Error(ErrorKind::config, fmt::format("dataset {}: weights = \"truth\"", task.name),
                "nothing is known of its wrong labels", "Leave weights at \"equal\"");
  }
  for (std::int64_t j = 0; j < samples; ++j) alpha[j] = task.wrong[static_cast<std::size_t>(j)] ? -10 : 10;
  return alpha;
}

void refuse_other_shape(const CleaningTask& task, const CleaningTask& first) {
  if (task.train.inputs.size(1) == first.train.inputs.size(1)) return;
  throw Error(ErrorKind::data, fmt::format("datasets {} and {}", first.name, task.name),
              fmt::format("have images of {} and {} pixels, but share their layers", first.train.inputs.size(1),
                          task.train.inputs.size(1)),
              "Choose datasets with images of one size");
}

using Metrics = std::vector<std::pair<std::string, double>>;

/// "name / dataset" for each, and their mean under the bare name.
void add_with_mean(Metrics& metrics, const std::string& name, const std::vector<CleaningTask>& tasks,
                   const std::vector<double>& values) {
  if (values.empty()) return;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    metrics.emplace_back(fmt::format("{} / {}", name, tasks[i].name), values[i]);
    sum += values[i];
  }
  metrics.emplace_back(name, sum / static_cast<double>(values.size()));
}

/// A sample is flagged where its weight has fallen below the one half it started with.
void add_detection(Metrics& metrics, const CleaningTask& task, const torch::Tensor& alpha) {
  if (task.wrong.empty()) return;
  const auto score = (-alpha).to(torch::kFloat64).contiguous();
  const std::vector<double> scores(score.data_ptr<double>(), score.data_ptr<double>() + score.numel());
  std::vector<bool> flagged;
  for (const double s : scores) flagged.push_back(s > 0);
  if (const auto auc = metrics::area_under_roc(scores, task.wrong)) {
    metrics.emplace_back(fmt::format("detection AUC / {}", task.name), *auc);
  }
  metrics.emplace_back(fmt::format("detection F1 / {}", task.name), metrics::f1(task.wrong, flagged));
}

}  // namespace

HyperCleaning::HyperCleaning(const HyperCleaningOptions& options, std::uint64_t seed)
    : HyperCleaning(make_tasks(options, seed), options, seed) {}

std::vector<CleaningTask> HyperCleaning::make_tasks(const HyperCleaningOptions& options, std::uint64_t seed) {
  std::vector<CleaningTask> tasks;
  for (const auto& name : options.datasets) tasks.push_back(make_cleaning_task(name, options, seed));
  return tasks;
}

HyperCleaning::HyperCleaning(std::vector<CleaningTask> tasks, const HyperCleaningOptions& options, std::uint64_t seed)
    : tasks_(std::move(tasks)), type_(problem::scalar_type(options.dtype)) {
  std::vector<TensorDataset> training, trusted;
  for (const auto& task : tasks_) {
    refuse_other_shape(task, tasks_.front());
    training.push_back(task.train);
    trusted.push_back(task.upper);
    alpha_.push_back(starting_alpha(task, options.weights, type_));
    upper_.add_rows(weights_name(task), alpha_.back());
  }
  build_network(options, seed);
  training_ = std::make_unique<TensorBatches>(training, options.batch, derive_seed(seed, "training"));
  trusted_ = std::make_unique<TensorBatches>(trusted, options.batch, derive_seed(seed, "trusted"));
}

void HyperCleaning::build_network(const HyperCleaningOptions& options, std::uint64_t seed) {
  Rng rng(derive_seed(seed, "initial weights"));
  std::vector<std::int64_t> widths;
  for (const double width : options.hidden) widths.push_back(static_cast<std::int64_t>(width));
  widths.insert(widths.begin() + 1, static_cast<std::size_t>(options.extra_layers), widths.front());
  std::int64_t inputs = tasks_.front().train.inputs.size(1);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    layers_.push_back(make_layer(inputs, widths[i], type_, rng));
    lower_.add(fmt::format("layer_{}", i + 1), *layers_.back());
    inputs = widths[i];
  }
  for (const auto& task : tasks_) {
    heads_.push_back(make_layer(inputs, task.classes, type_, rng));
    lower_.add("head_" + task.name, *heads_.back());
  }
  derivatives_ = std::make_unique<nets::DenseNetwork>(layers_.size(), heads_.size());
}

torch::Tensor HyperCleaning::trunk(torch::Tensor inputs) {
  for (auto& layer : layers_) inputs = torch::relu(layer->forward(inputs));
  return inputs;
}

torch::Tensor HyperCleaning::predict(const torch::Tensor& inputs, std::size_t task) {
  return heads_[task]->forward(trunk(numbers(inputs)));
}

std::vector<std::int64_t> HyperCleaning::classes_of(const torch::Tensor& inputs, std::size_t task) {
  std::vector<torch::Tensor> classes;
  for (const auto& rows : inputs.split(judged_at_once)) classes.push_back(predict(rows, task).argmax(1));
  return to_vector(torch::cat(classes));
}

/// sigmoid(alpha) of a batch's samples.
torch::Tensor HyperCleaning::trust(const BatchPart& part, std::size_t task) {
  return torch::sigmoid(upper_.rows(weights_name(tasks_[task]), part.indices));
}

std::vector<nets::WeightedTargets> HyperCleaning::weighted_targets(const Batch& batch) {
  std::vector<nets::WeightedTargets> targets;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto& part = batch.parts[i];
    targets.push_back({part.targets, trust(part, i).detach() / part.targets.size(0)});
  }
  return targets;
}

double HyperCleaning::descend(const Batch& batch, const torch::Tensor& omega, double eta) {
  return derivatives_->descend(lower_.pieces(omega), numbers(batch.inputs), weighted_targets(batch), eta);
}

std::int64_t HyperCleaning::descend_repeatedly(const Batch& batch, const torch::Tensor& omega, double eta,
                                               std::int64_t steps, double limit) {
  if (!nets::DenseNetwork::repeats_cheaply(batch.inputs, steps)) {
    return LowerKernel::descend_repeatedly(batch, omega, eta, steps, limit);
  }
  return derivatives_->descend_repeatedly(lower_.pieces(omega), numbers(batch.inputs), weighted_targets(batch), eta,
                                          steps, limit);
}

/// <grad_w f, v> = sum over datasets of mean_j sigmoid(alpha_ij) (d CE_ij along v).
std::vector<torch::Tensor> HyperCleaning::pull_back(const Batch& batch, const torch::Tensor& omega, double eta,
                                                    const torch::Tensor& adjoints) {
  derivatives_->linearise(lower_.pieces(omega), numbers(batch.inputs), weighted_targets(batch));
  std::vector<torch::Tensor> trusts, products;
  for (std::size_t i = 0; i < tasks_.size(); ++i) trusts.push_back(trust(batch.parts[i], i));
  for (std::int64_t row = 0; row < adjoints.size(0); ++row) {
    const auto along = derivatives_->subtract_hessian_product(lower_.pieces(adjoints[row]), eta);
    auto product = torch::zeros({}, adjoints.options());
    for (std::size_t i = 0; i < tasks_.size(); ++i) product = product + (trusts[i] * along[i]).mean();
    products.push_back(product);
  }
  return products;
}

/// A pass of its own for each dataset, unlike in the lower loss: F_i is differentiated alone, and would otherwise drag
/// the zero gradients of the other datasets' samples through the shared layers.
std::vector<torch::Tensor> HyperCleaning::upper_losses(const Batch& batch) {
  std::vector<torch::Tensor> losses;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    losses.push_back(torch::cross_entropy_loss(predict(batch.parts[i].inputs, i), batch.parts[i].targets));
  }
  return losses;
}

/// All datasets' samples go through the shared layers as one matrix.
torch::Tensor HyperCleaning::lower_loss(const Batch& batch) {
  const auto features = trunk(numbers(batch.inputs));
  torch::Tensor total;
  std::int64_t row = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto& part = batch.parts[i];
    const std::int64_t count = part.inputs.size(0);
    const auto scores = heads_[i]->forward(features.narrow(0, row, count));
    const auto losses = torch::cross_entropy_loss(scores, part.targets, {}, at::Reduction::None);
    const auto loss = (trust(part, i) * losses).mean();
    total = total.defined() ? total + loss : loss;
    row += count;
  }
  return total;
}

std::vector<std::pair<std::string, double>> HyperCleaning::evaluate() {
  torch::NoGradGuard no_grad;
  std::vector<double> select_accuracy, test_accuracy, test_f1;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto& task = tasks_[i];
    if (task.select.inputs.defined()) {
      select_accuracy.push_back(100 *
                                metrics::accuracy(to_vector(task.select.targets), classes_of(task.select.inputs, i)));
    }
    if (!task.test.inputs.defined()) continue;
    const auto test_truth = to_vector(task.test.targets), test_classes = classes_of(task.test.inputs, i);
    test_accuracy.push_back(100 * metrics::accuracy(test_truth, test_classes));
    test_f1.push_back(100 * metrics::macro_f1(test_truth, test_classes));
  }
  Metrics metrics;
  add_with_mean(metrics, "select accuracy", tasks_, select_accuracy);
  add_with_mean(metrics, "test accuracy", tasks_, test_accuracy);
  add_with_mean(metrics, "test macro F1", tasks_, test_f1);
  for (std::size_t i = 0; i < tasks_.size(); ++i) add_detection(metrics, tasks_[i], alpha_[i]);
  return metrics;
}

Json HyperCleaning::provenance() const {
  Json out = Json::object();
  for (const auto& task : tasks_) out[task.name] = task.provenance;
  return out;
}

std::unique_ptr<BilevelProblem> make_hyper_cleaning(const Json& options, std::uint64_t seed) {
  HyperCleaningOptions read;
  HyperCleaningOptions::table().read(options, read, {});
  return std::make_unique<HyperCleaning>(read, seed);
}

}  // namespace moblo::lab::problems
