#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "moblo/base/rng.hpp"

namespace moblo::lab::nets {

/// What a batch teaches. `likelihood` holds for each row and class how probable what is known of the row would be if
/// the class were the true one: one-hot for a label that is right, P(given label | class) for one that may be wrong.
struct SoftTargets {
  torch::Tensor likelihood;  ///< rows x classes
  torch::Tensor weights;     ///< one per row
};

/// Shares of the values that are set to zero at random while learning.
struct Dropout {
  double inputs = 0, hidden = 0;
};

/// Dense layers with ReLU between them and a softmax over the classes, differentiated by hand.
///
///   L = mean_j weight_j (-log sum_c p(c | x_j) likelihood_jc)
///
/// By the scores of row j its gradient is weight_j (p - r) with r_c = p_c likelihood_jc / sum: for one-hot rows that of
/// the cross entropy, otherwise the network is pulled towards the classes' posterior.
class DenseClassifier {
 public:
  /// (weight, bias) of each layer, copied; the last has one output per class.
  explicit DenseClassifier(const std::vector<torch::Tensor>& parameters);
  /// U(-1/sqrt(fan_in), 1/sqrt(fan_in)); `widths` from the inputs to the classes.
  static DenseClassifier draw(const std::vector<std::int64_t>& widths, std::uint64_t seed);

  /// log p(class | inputs), one row per sample.
  torch::Tensor log_chances(const torch::Tensor& inputs) const;
  /// Of L by values(), in a buffer that the next call overwrites.
  torch::Tensor& gradient(const torch::Tensor& inputs, const SoftTargets& targets, const Dropout& dropout, Rng& rng);

  /// All parameters in one dimension; writing to it moves the network.
  torch::Tensor& values() { return values_; }
  /// Views into values(): (weight, bias) of each layer.
  const std::vector<torch::Tensor>& parameters() const { return parameters_; }
  DenseClassifier clone() const { return DenseClassifier(parameters_); }

 private:
  std::size_t layers() const { return parameters_.size() / 2; }
  void forward(const torch::Tensor& inputs, const Dropout& dropout, Rng& rng);

  torch::Tensor values_, gradient_;
  std::vector<torch::Tensor> parameters_, gradients_;
  std::vector<torch::Tensor> activations_;  ///< the inputs, after each hidden layer, then the scores
};

}  // namespace moblo::lab::nets
