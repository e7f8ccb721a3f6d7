#pragma once

#include <memory>

#include "moblo/applications/toy_options.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo {

/// f = sum over tasks of mean_j sigmoid(alpha_ij) (prediction - target)^2,  F_i = mean squared error on trusted
/// samples. One weight a training sample, read as rows of the batch; a shared hidden layer and one output a task.
class NoisyRegression : public BilevelProblem {
 public:
  NoisyRegression(const NoisyRegressionOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  torch::Tensor lower_loss(const Batch& batch) override;
  BatchStream& upper_batches() override { return *trusted_; }
  BatchStream& lower_batches() override { return *training_; }
  ProblemTraits traits() const override { return noisy_regression_info().traits; }
  /// How well the weights find the spoilt samples: the area under the ROC curve, a task.
  std::vector<std::pair<std::string, double>> evaluate() override;

  torch::Tensor predict(const torch::Tensor& inputs, std::size_t task);

 private:
  NoisyRegressionOptions options_;
  torch::nn::Linear trunk_{nullptr};
  std::vector<torch::nn::Linear> heads_;
  std::vector<torch::Tensor> weights_, spoilt_;
  std::unique_ptr<TensorBatches> training_, trusted_;
};

std::unique_ptr<BilevelProblem> make_noisy_regression(const Json& options, std::uint64_t seed);

}  // namespace moblo
