#pragma once

#include <memory>
#include <string>

#include "moblo/base/options.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/problem/problem_info.hpp"

namespace moblo::lab::problems {

enum class ProtectedColumn { sex, race };
enum class FairnessGap {
  parity,      ///< demographic parity: the mean score of everybody
  opportunity  ///< equal opportunity: the mean score of those with a high income
};
enum class WeightedUnit {
  cells,   ///< one weight for each group and label: four
  samples  ///< one weight per training sample
};

constexpr auto enum_names(ProtectedColumn) {
  return std::array{std::pair{"sex", ProtectedColumn::sex}, std::pair{"race", ProtectedColumn::race}};
}
constexpr auto enum_names(FairnessGap) {
  return std::array{std::pair{"parity", FairnessGap::parity}, std::pair{"opportunity", FairnessGap::opportunity}};
}
constexpr auto enum_names(WeightedUnit) {
  return std::array{std::pair{"cells", WeightedUnit::cells}, std::pair{"samples", WeightedUnit::samples}};
}

struct AdultOptions {
  std::string data;
  ProtectedColumn group = ProtectedColumn::sex;
  FairnessGap gap = FairnessGap::parity;
  WeightedUnit weights = WeightedUnit::cells;
  std::int64_t train = 20000, upper = 6000, select = 6000;  ///< of the published training part; it has 32,561
  std::int64_t hidden = 0;                                  ///< width of a hidden layer; 0 = logistic regression
  double ridge = 1e-4;
  std::int64_t batch = 500, upper_batch = 2000;

  static const OptionTable<AdultOptions>& table();
};

ProblemInfo adult_info();

/// Weights that make a classifier of incomes fairer.
///
///   f   = mean_j 2 sigmoid(alpha_j) CE(network(x_j), y_j) + ridge/2 |w|^2   over training samples; alpha_j that of the
///         sample's group and label, or its own
///   F_1 = mean CE                                                           over held-out samples
///   F_2 = (mean score of one group - mean score of the other)^2             over the same; of all, or of y = 1
///
/// alpha starts at 0, where all weights are 1. F_2 of a batch is larger than that of all samples by the variance of the
/// two means, so upper batches are large. The protected column is not an input of the network.
class Adult : public BilevelProblem {
 public:
  Adult(const AdultOptions& options, std::uint64_t seed);

  std::vector<torch::Tensor> upper_losses(const Batch& batch) override;
  std::vector<std::string> objective_names() const override { return {"loss", "squared gap"}; }
  torch::Tensor lower_loss(const Batch& batch) override;
  BatchStream& upper_batches() override { return *held_out_; }
  BatchStream& lower_batches() override { return *training_; }
  ProblemTraits traits() const override { return adult_info().traits; }
  /// Accuracy, and the gaps between the groups in the share of predicted high incomes (of all; of those who have one),
  /// all in per cent, on the selection and test sets; the weights of the cells.
  std::vector<std::pair<std::string, double>> evaluate() override;
  Json provenance() const override { return provenance_; }

 private:
  torch::Tensor scores(const torch::Tensor& inputs);
  torch::Tensor trust(const BatchPart& part);

  AdultOptions options_;
  torch::nn::Linear hidden_{nullptr}, output_{nullptr};
  torch::Tensor alpha_;
  TensorDataset select_, test_;
  std::unique_ptr<TensorBatches> training_, held_out_;
  Json provenance_ = Json::object();
};

}  // namespace moblo::lab::problems
