#include "lab/problems/multitask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "moblo/base/rng.hpp"
#include "moblo/conformance/synthetic.hpp"

namespace moblo::lab::problems {
namespace {

using Metrics = std::vector<std::pair<std::string, double>>;

constexpr std::int64_t evaluation_batch = 256;

std::vector<TensorDataset> joined(const std::vector<TensorDataset>& a, const std::vector<TensorDataset>& b) {
  std::vector<TensorDataset> all;
  for (std::size_t i = 0; i < a.size(); ++i) {
    all.push_back({torch::cat({a[i].inputs, b[i].inputs}), torch::cat({a[i].targets, b[i].targets})});
  }
  return all;
}

/// Classes stay whole numbers.
void convert_targets(std::vector<TensorDataset>& datasets, torch::ScalarType type) {
  for (auto& data : datasets) {
    if (data.targets.is_floating_point()) data.targets = data.targets.to(type);
  }
}

/// Dropout and running statistics off for as long as it lives.
class Evaluating {
 public:
  explicit Evaluating(std::vector<std::unique_ptr<nets::TaskNetwork>>& networks) : networks_(networks) { train(false); }
  ~Evaluating() { train(true); }
  Evaluating(const Evaluating&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;

 private:
  void train(bool on) {
    for (auto& network : networks_) network->train(on);
  }

  std::vector<std::unique_ptr<nets::TaskNetwork>>& networks_;
};

/// "part metric / task" for each, and the mean over the tasks under the bare name where more than one has it.
void add_named(Metrics& metrics, const std::string& part, const std::vector<Task>& tasks,
               const std::vector<std::unique_ptr<TaskScore>>& scores) {
  std::map<std::string, std::vector<double>> by_name;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (const auto& [name, value] : scores[i]->metrics()) {
      metrics.emplace_back(fmt::format("{} {} / {}", part, name, tasks[i].name), value);
      if (scores[i]->comparable()) by_name[name].push_back(value);
    }
  }
  for (const auto& [name, values] : by_name) {
    if (values.size() < 2) continue;
    metrics.emplace_back(fmt::format("{} {}", part, name),
                         std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()));
  }
}

}  // namespace

Multitask::Multitask(std::vector<Task> tasks, MultitaskData data, const NetworkFactory& make_network,
                     const MultitaskOptions& options, std::uint64_t seed)
    : tasks_(std::move(tasks)),
      data_(std::move(data)),
      dataset_a_task_(data_.train.size() > 1),
      type_(problem::scalar_type(options.dtype)) {
  for (auto* part : {&data_.train, &data_.validation, &data_.select, &data_.test}) convert_targets(*part, type_);
  build_networks(make_network, options.networks, derive_seed(seed, "initial weights"));
  logits_ = torch::zeros({static_cast<std::int64_t>(tasks_.size())}, lower_.options());
  upper_.add("task_logits", logits_);

  const auto training =
      options.training == TrainingSamples::train ? data_.train : joined(data_.train, data_.validation);
  const auto& held_out = options.upper == UpperSamples::validation ? data_.validation : training;
  training_stream_ = std::make_unique<TensorBatches>(training, options.batch, derive_seed(seed, "training"));
  upper_stream_ = std::make_unique<TensorBatches>(held_out, options.batch, derive_seed(seed, "validation"));
  data_.train.clear();
  data_.validation.clear();
}

/// The shared parameters come first in omega: `shared_columns` counts on it.
void Multitask::build_networks(const NetworkFactory& make_network, Networks networks, std::uint64_t seed) {
  std::vector<std::size_t> all(tasks_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (networks == Networks::shared) {
    networks_.push_back(make_network(all, seed));
    networks_[0]->to(type_);
    lower_.add("trunk", networks_[0]->trunk());
    for (const std::size_t i : all) lower_.add("head_" + tasks_[i].name, networks_[0]->task_head(i));
    return;
  }
  for (const std::size_t i : all) {
    networks_.push_back(make_network({i}, derive_seed(seed, "network", i)));
    networks_[i]->to(type_);
    lower_.add("trunk_" + tasks_[i].name, networks_[i]->trunk());
    lower_.add("head_" + tasks_[i].name, networks_[i]->task_head(0));
  }
}

std::int64_t Multitask::shared_columns() {
  if (networks_.size() > 1) return 0;
  std::int64_t count = 0;
  for (const auto& parameter : networks_[0]->trunk().parameters()) count += parameter.numel();
  return count;
}

torch::Tensor Multitask::output_of(const torch::Tensor& inputs, std::size_t task) {
  const bool separate = networks_.size() > 1;
  auto& network = *networks_[separate ? task : 0];
  return network.head(network.features(prepared(inputs)), separate ? 0 : task);
}

/// The trunk sees the samples of all tasks as one batch.
std::vector<torch::Tensor> Multitask::outputs(const Batch& batch) {
  std::vector<torch::Tensor> all;
  const auto part_of = [&](std::size_t task) -> const BatchPart& { return batch.parts[dataset_a_task() ? task : 0]; };
  if (networks_.size() > 1) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) all.push_back(output_of(part_of(i).inputs, i));
    return all;
  }
  auto& network = *networks_[0];
  const auto features = network.features(prepared(dataset_a_task() ? batch.inputs : batch.parts[0].inputs));
  std::int64_t row = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const std::int64_t count = part_of(i).inputs.size(0);
    all.push_back(network.head(dataset_a_task() ? features.narrow(0, row, count) : features, i));
    row += count;
  }
  return all;
}

torch::Tensor Multitask::loss_of(std::size_t task, const torch::Tensor& output, const Batch& batch) const {
  return tasks_[task].loss(output, batch.parts[dataset_a_task() ? task : 0].targets);
}

std::vector<torch::Tensor> Multitask::upper_losses(const Batch& batch) {
  const auto found = outputs(batch);
  std::vector<torch::Tensor> losses;
  for (std::size_t i = 0; i < tasks_.size(); ++i) losses.push_back(loss_of(i, found[i], batch));
  return losses;
}

const char* Multitask::no_representation() const {
  if (networks_.size() > 1) return "each task has a network of its own";
  return dataset_a_task() ? "each task has samples of its own, whose representations never meet" : nullptr;
}

SharedRepresentation::Cut Multitask::cut_at_representation(const Batch& batch) {
  Cut cut;
  cut.representation = networks_[0]->features(prepared(batch.parts[0].inputs));
  cut.leaf = cut.representation.detach().requires_grad_();
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    cut.losses.push_back(loss_of(i, networks_[0]->head(cut.leaf, i), batch));
  }
  return cut;
}

torch::Tensor Multitask::lower_loss(const Batch& batch) {
  return torch::dot(torch::softmax(logits_, 0), torch::stack(upper_losses(batch)));
}

void Multitask::add_scores(Metrics& metrics, const std::string& part, const std::vector<TensorDataset>& datasets) {
  if (datasets.empty()) return;
  std::vector<std::unique_ptr<TaskScore>> scores;
  for (const auto& task : tasks_) scores.push_back(task.make_score());
  std::vector<double> losses(tasks_.size());
  const auto judge = [&](std::size_t task, const torch::Tensor& output, const torch::Tensor& targets, double share) {
    scores[task]->add(output, targets);
    losses[task] += share * tasks_[task].loss(output, targets).item().toDouble();
  };
  for (std::size_t d = 0; d < datasets.size(); ++d) {
    const auto& data = datasets[d];
    for (std::int64_t first = 0; first < data.inputs.size(0); first += evaluation_batch) {
      const std::int64_t count = std::min(evaluation_batch, data.inputs.size(0) - first);
      const auto inputs = data.inputs.narrow(0, first, count), targets = data.targets.narrow(0, first, count);
      const double share = static_cast<double>(count) / static_cast<double>(data.inputs.size(0));
      if (dataset_a_task()) {
        judge(d, output_of(inputs, d), targets, share);
        continue;
      }
      const auto found = outputs(Batch{.number = 0, .parts = {{{}, inputs, targets}}, .inputs = {}});
      for (std::size_t i = 0; i < tasks_.size(); ++i) judge(i, found[i], targets, share);
    }
  }
  add_named(metrics, part, tasks_, scores);
  metrics.emplace_back(part + " loss",
                       std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size()));
}

Metrics Multitask::evaluate() {
  const torch::NoGradGuard no_grad;
  const Evaluating evaluating(networks_);
  Metrics metrics;
  add_scores(metrics, "select", data_.select);
  add_scores(metrics, "test", data_.test);
  const auto weights = torch::softmax(logits_, 0);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    metrics.emplace_back("task weight / " + tasks_[i].name, weights[static_cast<std::int64_t>(i)].item().toDouble());
  }
  return metrics;
}

}  // namespace moblo::lab::problems
