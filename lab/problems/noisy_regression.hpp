#pragma once

#include <memory>

#include "moblo/base/options.hpp"
#include "moblo/problem/dtype.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::lab::problems {

/// Hyper-cleaning in miniature: regressions with wrong targets, one weight per sample, mini-batches.
struct NoisyRegressionOptions {
  std::int64_t tasks = 2;
  std::int64_t samples = 200;  ///< training samples per task
  std::int64_t trusted = 50;   ///< clean validation samples per task
  std::int64_t features = 5;
  std::int64_t hidden = 8;
  std::int64_t batch = 20;
  double spoilt = 0.3;  ///< share of the training targets that are wrong
  Dtype dtype = Dtype::f32;

  static const OptionTable<NoisyRegressionOptions>& table();
};

ProblemInfo noisy_regression_info();

/// f = sum over tasks of mean_j sigmoid(alpha_ij) (prediction - target)^2,  F_i = mean squared error on trusted
/// samples. One weight per training sample, read as rows of the batch; a shared hidden layer, one output per task.
class NoisyRegression : public BilevelProblem {
 public:
  NoisyRegression(const NoisyRegressionOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  torch::Tensor lower_loss(const Batch& batch) override;
  BatchStream& upper_batches() override { return *trusted_; }
  BatchStream& lower_batches() override { return *training_; }
  ProblemTraits traits() const override { return noisy_regression_info().traits; }
  /// How well the weights find the wrong samples: the area under the ROC curve, per task.
  std::vector<std::pair<std::string, double>> evaluate() override;

  torch::Tensor predict(const torch::Tensor& inputs, std::size_t task);

 private:
  NoisyRegressionOptions options_;
  torch::nn::Linear trunk_{nullptr};
  std::vector<torch::nn::Linear> heads_;
  std::vector<torch::Tensor> weights_, spoilt_;
  std::unique_ptr<TensorBatches> training_, trusted_;
};

}  // namespace moblo::lab::problems
