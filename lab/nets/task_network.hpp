#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "moblo/base/rng.hpp"

namespace moblo::lab::nets {

/// A trunk that all tasks share and one head per task.
///
/// Dropout draws from torch's generator, which a run seeds, checkpoints hold and hypergradients rewind.
class TaskNetwork {
 public:
  virtual ~TaskNetwork() = default;

  /// What the heads take, one row per sample.
  virtual torch::Tensor features(const torch::Tensor& inputs) = 0;
  virtual torch::Tensor head(const torch::Tensor& features, std::size_t task) = 0;

  virtual torch::nn::Module& trunk() = 0;  ///< its parameters are the shared ones
  virtual torch::nn::Module& task_head(std::size_t task) = 0;
  virtual std::size_t tasks() const = 0;

  /// Whether dropout drops and batch norm uses the batch's own statistics.
  void train(bool on);
  void to(torch::ScalarType type);
};

/// Of any modules that take one tensor and give one.
std::unique_ptr<TaskNetwork> assemble(torch::nn::AnyModule trunk, std::vector<torch::nn::AnyModule> heads);

/// One linear head per task, each with initial weights of its own.
std::vector<torch::nn::AnyModule> linear_heads(std::int64_t features, const std::vector<std::int64_t>& outputs,
                                               Rng& rng);

}  // namespace moblo::lab::nets
