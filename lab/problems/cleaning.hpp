#pragma once

#include <memory>
#include <vector>

#include "lab/nets/dense_network.hpp"
#include "lab/problems/cleaning_data.hpp"
#include "moblo/problem/judges_samples.hpp"
#include "moblo/problem/lower_kernel.hpp"

namespace moblo::lab::problems {

/// Several datasets with wrong labels, one network: shared layers and one output layer per dataset.
///
///   f   = sum over datasets i of mean_j sigmoid(alpha_ij) CE(network_i(x_ij), y_ij)   on the training samples
///   F_i = mean_j CE(network_i(x_ij), y_ij)                                            on trusted samples
///
/// alpha starts at 0: every sample counts half. It is read as rows of the batch, so a step does not cost more with more
/// samples.
class HyperCleaning : public BilevelProblem, public LowerKernel, public JudgesSamples {
 public:
  HyperCleaning(const HyperCleaningOptions& options, std::uint64_t seed);
  /// The same with samples of the caller's, of one width. The selection and test sets and what is known of wrong labels
  /// may be absent; of the options, those of network and batches count.
  HyperCleaning(std::vector<CleaningTask> tasks, const HyperCleaningOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  torch::Tensor lower_loss(const Batch& batch) override;
  BatchStream& upper_batches() override { return *trusted_; }
  BatchStream& lower_batches() override { return *training_; }
  ProblemTraits traits() const override { return hyper_cleaning_info().traits; }
  /// Accuracy and macro F1 in per cent on the selection and test sets, a dataset and their mean; area under the ROC
  /// curve and F1 of finding the wrong labels by their weights.
  std::vector<std::pair<std::string, double>> evaluate() override;
  Json provenance() const override;
  /// sigmoid(alpha) of every training sample, its label and what the network sees in it.
  std::vector<SampleOutcomes> sample_outcomes() override;

  double descend(const Batch& batch, const torch::Tensor& omega, double eta) override;
  std::int64_t descend_repeatedly(const Batch& batch, const torch::Tensor& omega, double eta, std::int64_t steps,
                                  double limit) override;
  std::vector<torch::Tensor> pull_back(const Batch& batch, const torch::Tensor& omega, double eta,
                                       const torch::Tensor& adjoints) override;

  const std::vector<CleaningTask>& tasks() const { return tasks_; }
  /// Class scores of one dataset's samples.
  torch::Tensor predict(const torch::Tensor& inputs, std::size_t task);
  /// The likeliest class of each.
  std::vector<std::int64_t> classes_of(const torch::Tensor& inputs, std::size_t task);

 private:
  static std::vector<CleaningTask> make_tasks(const HyperCleaningOptions& options, std::uint64_t seed);
  void build_network(const HyperCleaningOptions& options, std::uint64_t seed);
  torch::Tensor numbers(const torch::Tensor& inputs) const { return numbers_of(inputs, type_); }
  torch::Tensor trunk(torch::Tensor inputs);
  torch::Tensor trust(const BatchPart& part, std::size_t task);
  std::vector<nets::WeightedTargets> weighted_targets(const Batch& batch);

  std::vector<CleaningTask> tasks_;
  torch::ScalarType type_;
  std::vector<torch::nn::Linear> layers_, heads_;
  std::vector<torch::Tensor> alpha_;
  std::unique_ptr<nets::DenseNetwork> derivatives_;
  std::unique_ptr<TensorBatches> training_, trusted_;
};

std::unique_ptr<BilevelProblem> make_hyper_cleaning(const Json& options, std::uint64_t seed);

}  // namespace moblo::lab::problems
