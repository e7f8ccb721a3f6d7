#pragma once

#include "moblo/problem/problem.hpp"

namespace moblo::methods {

/// Tasks with a lower variable each: f = sum over the tasks of a batch of (w_j - alpha - target_j)^2.
class TaskRows : public BilevelProblem {
 public:
  TaskRows() : upper_tasks_({{inputs_, targets_}}, 2, 5), lower_tasks_({{inputs_, targets_}}, 2, 5) {
    upper_.add("alpha", alpha_);
    lower_.add_rows("omega", omega_);
  }
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override { return {gap(batch, 1), gap(batch, -1)}; }
  torch::Tensor lower_loss(const Batch& batch) override { return gap(batch, 0); }
  BatchStream& upper_batches() override { return upper_tasks_; }
  BatchStream& lower_batches() override { return lower_tasks_; }
  ProblemTraits traits() const override { return {.strongly_convex_lower = true}; }

 private:
  torch::Tensor gap(const Batch& batch, double shift) {
    const auto& part = batch.parts[0];
    return (lower_.rows("omega", part.indices) - alpha_ - part.targets - shift).square().sum();
  }

  torch::Tensor alpha_ = torch::zeros({1}, torch::kFloat64), omega_ = torch::zeros({6}, torch::kFloat64),
                inputs_ = torch::zeros({6, 1}, torch::kFloat64), targets_ = torch::arange(6, torch::kFloat64);
  TensorBatches upper_tasks_, lower_tasks_;  // the same tasks in the same order
};

}  // namespace moblo::methods
