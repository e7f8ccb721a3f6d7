#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/nets/task_network.hpp"
#include "lab/problems/multitask_options.hpp"
#include "moblo/problem/batch.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/problem/shared_representation.hpp"

namespace moblo::lab::problems {

/// Gathers what a task's outputs are worth, batch by batch.
class TaskScore {
 public:
  virtual ~TaskScore() = default;
  virtual void add(const torch::Tensor& outputs, const torch::Tensor& targets) = 0;
  /// By name ("accuracy").
  virtual std::vector<std::pair<std::string, double>> metrics() const = 0;
  /// Whether a mean over the tasks means something: not where each has a unit of its own.
  virtual bool comparable() const { return false; }
};

struct Task {
  std::string name;
  /// The mean loss of a batch, a scalar; `targets` are those of all tasks where they share their inputs.
  std::function<torch::Tensor(const torch::Tensor& outputs, const torch::Tensor& targets)> loss;
  std::function<std::unique_ptr<TaskScore>()> make_score;
};

/// One dataset for all tasks, or one per task.
struct MultitaskData {
  std::vector<TensorDataset> train, validation, select, test;
  /// From samples as they are kept to what the network takes.
  std::function<torch::Tensor(const torch::Tensor&)> prepare = [](const torch::Tensor& inputs) { return inputs; };
  Json provenance = Json::object();
};

/// A network for some of the tasks, by their numbers.
using NetworkFactory =
    std::function<std::unique_ptr<nets::TaskNetwork>(const std::vector<std::size_t>& tasks, std::uint64_t seed)>;

/// Learned loss weights: alpha are logits, f = sum_i softmax(alpha)_i L_i on training batches, F_i = L_i on held-out
/// ones, omega the parameters of a trunk that all tasks share and of one head per task.
class Multitask : public BilevelProblem, public SharedRepresentation {
 public:
  Multitask(std::vector<Task> tasks, MultitaskData data, const NetworkFactory& make_network,
            const MultitaskOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  torch::Tensor lower_loss(const Batch& batch) override;
  BatchStream& upper_batches() override { return *upper_stream_; }
  BatchStream& lower_batches() override { return *training_stream_; }
  ProblemTraits traits() const override { return {.tasks = true}; }
  std::int64_t shared_columns() override;
  Cut cut_at_representation(const Batch& batch) override;
  const char* no_representation() const override;
  std::vector<std::pair<std::string, double>> evaluate() override;
  Json provenance() const override { return data_.provenance; }

 private:
  torch::Tensor prepared(const torch::Tensor& inputs) const { return data_.prepare(inputs).to(type_); }
  bool dataset_a_task() const { return dataset_a_task_; }
  void build_networks(const NetworkFactory& make_network, Networks networks, std::uint64_t seed);
  std::vector<torch::Tensor> outputs(const Batch& batch);
  torch::Tensor loss_of(std::size_t task, const torch::Tensor& output, const Batch& batch) const;
  torch::Tensor output_of(const torch::Tensor& inputs, std::size_t task);
  void add_scores(std::vector<std::pair<std::string, double>>& metrics, const std::string& part,
                  const std::vector<TensorDataset>& datasets);

  std::vector<Task> tasks_;
  MultitaskData data_;  // what trains is the streams' alone
  bool dataset_a_task_;
  torch::ScalarType type_;
  torch::Tensor logits_;
  std::vector<std::unique_ptr<nets::TaskNetwork>> networks_;  // one, or one per task
  std::unique_ptr<BatchStream> training_stream_, upper_stream_;
};

}  // namespace moblo::lab::problems
