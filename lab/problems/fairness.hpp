#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/problems/fairness_data.hpp"
#include "lab/problems/fairness_options.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::lab::problems {

/// Weights that make a classifier fairer.
///
///   f   = mean_j 2 sigmoid(alpha_j) CE(network(x_j), y_j) + ridge/2 |w|^2   over training samples; alpha_j that of the
///         sample's group and label, or its own
///   F_1 = mean CE                                                           over validation samples
///   F_2 = squared gap of the mean scores between groups                     over the same
///
/// alpha starts at 0, where all weights are 1. F_2 of a batch is larger than that of all samples by the variance of the
/// means, so validation batches are large. The protected column is not an input of the network.
///
/// A baseline has f without alpha, over training and validation samples: its refit is what one level reaches.
class Fairness : public BilevelProblem {
 public:
  Fairness(const FairnessOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  std::vector<std::string> objective_names() const override { return {"loss", "gap"}; }
  torch::Tensor lower_loss(const Batch& batch) override;
  BatchStream& upper_batches() override { return *validation_stream_; }
  BatchStream& lower_batches() override { return *training_stream_; }
  ProblemTraits traits() const override { return fairness_info().traits; }
  /// F_1, F_2 and decision_metrics() of the validation, selection and test samples; the mean weight of each cell.
  std::vector<std::pair<std::string, double>> evaluate() override;
  Json provenance() const override { return data_.provenance; }

  const FairnessData& data() const { return data_; }

 private:
  void build_network(std::uint64_t seed);
  void add_weights(const torch::Tensor& training_cells);
  torch::Tensor log_odds(const torch::Tensor& inputs);
  torch::Tensor weights_of(const BatchPart& part);
  torch::Tensor weights_of_cells();
  torch::Tensor gap(const torch::Tensor& odds, const torch::Tensor& cells) const;

  FairnessOptions options_;
  FairnessData data_;
  torch::nn::Linear hidden_{nullptr}, output_{nullptr};
  torch::Tensor alpha_;
  torch::Tensor fixed_;           // weights of the cells of a baseline
  torch::Tensor training_cells_;  // of what the lower loss sees
  std::unique_ptr<TensorBatches> training_stream_, validation_stream_;
};

}  // namespace moblo::lab::problems
