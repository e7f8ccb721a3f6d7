#pragma once

#include <memory>

#include "moblo/base/options.hpp"
#include "moblo/problem/dtype.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::lab::problems {

struct DecaysOptions {
  std::int64_t classes = 4;
  std::int64_t features = 20;
  std::int64_t informative = 5;  ///< features in which the classes differ; the others are noise
  std::int64_t samples = 150;    ///< of the lower level; few, so that regularisation counts
  std::int64_t held_out = 300;   ///< of the upper losses
  std::int64_t test = 3000;
  std::int64_t hidden = 16;
  std::int64_t batch = 50;
  double wrong = 0.1;    ///< share of the lower level's labels that are drawn again
  double disturbed = 1;  ///< deviation of what is added to the inputs of F_2
  Dtype dtype = Dtype::f32;

  static const OptionTable<DecaysOptions>& table();
};

ProblemInfo decays_info();

/// Regularisation found by gradients: one weight decay a layer, and label smoothing.
///
///   f   = CE against (1 - s) onehot(y) + s / classes  +  sum over the three layers of d_l / 2 |W_l|^2
///   F_1 = CE on held-out samples,  F_2 = CE on the same with disturbed inputs
///   d_l = exp(alpha_l),  s = sigmoid(alpha_4) / 2
///
/// alpha starts at d_l = 0.001 and s = 0.01: next to no regularisation. Nobody wants omega here but to judge alpha, so
/// this is where a joint model and a model trained with alpha tell different stories. Data: Gaussian classes, made by
/// the seed.
class Decays : public BilevelProblem {
 public:
  Decays(const DecaysOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  std::vector<std::string> objective_names() const override { return {"loss", "loss, disturbed"}; }
  torch::Tensor lower_loss(const Batch& batch) override;
  BatchStream& upper_batches() override { return *held_out_; }
  BatchStream& lower_batches() override { return *training_; }
  ProblemTraits traits() const override { return decays_info().traits; }
  /// Loss and accuracy (per cent) on test samples, as they are and disturbed; the decays and the smoothing.
  std::vector<std::pair<std::string, double>> evaluate() override;

 private:
  torch::Tensor predict(const torch::Tensor& inputs);
  torch::Tensor smoothing() const { return torch::sigmoid(alpha_[3]) / 2; }

  DecaysOptions options_;
  std::vector<torch::nn::Linear> layers_;
  torch::Tensor alpha_;
  TensorDataset test_, disturbed_test_;
  std::unique_ptr<TensorBatches> training_, held_out_;
};

}  // namespace moblo::lab::problems
