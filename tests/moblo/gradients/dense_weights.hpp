#pragma once

#include <string>
#include <vector>

#include "lab/problems/noisy_regression.hpp"

namespace moblo::gradients::testing {

/// The same regression with the weights as one dense tensor instead of rows.
class DenseWeights : public BilevelProblem {
 public:
  DenseWeights(lab::problems::NoisyRegression& rows, const std::vector<torch::Tensor>& weights)
      : rows_(rows), weights_(weights) {
    for (std::size_t i = 0; i < weights_.size(); ++i) upper_.add("weights_" + std::to_string(i + 1), weights_[i]);
  }
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override { return rows_.upper_losses(batch); }
  torch::Tensor lower_loss(const Batch& batch) override {
    torch::Tensor total = torch::zeros({}, torch::kFloat64);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const auto& part = batch.parts[i];
      const auto prediction = rows_.predict(part.inputs, i);
      total = total +
              (torch::sigmoid(weights_[i].index_select(0, part.indices)) * (prediction - part.targets).square()).mean();
    }
    return total;
  }
  ParameterPack& lower() override { return rows_.lower(); }
  BatchStream& upper_batches() override { return rows_.upper_batches(); }
  BatchStream& lower_batches() override { return rows_.lower_batches(); }

 private:
  lab::problems::NoisyRegression& rows_;
  std::vector<torch::Tensor> weights_;
};

}  // namespace moblo::gradients::testing
