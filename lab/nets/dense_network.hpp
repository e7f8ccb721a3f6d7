#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace moblo::lab::nets {

/// One task's rows of a batch: which classes are right, and how much each sample's cross entropy counts.
struct WeightedTargets {
  torch::Tensor classes;  ///< int64, one per row
  torch::Tensor weights;  ///< one per row
};

/// L = sum over tasks i and rows j of weight_ij CE(head_i(relu(W_l .. relu(W_1 x_ij))), class_ij), by its own
/// derivatives.
///
/// Against autograd: no graph, buffers that are kept from call to call, updates inside the products (W -= eta dZ' A is
/// one call), and of the gradient only what is asked for. Parameters come as (weight, bias) of each layer, then of each
/// head. All tasks' rows go through the layers as one matrix, one task below another.
class DenseNetwork {
 public:
  DenseNetwork(std::size_t layers, std::size_t heads) : layers_(layers), heads_(heads) {}

  /// parameters -= eta grad L, in place. Returns L before it.
  double descend(const std::vector<torch::Tensor>& parameters, const torch::Tensor& inputs,
                 const std::vector<WeightedTargets>& targets, double eta);

  /// The same up to `steps` times on one batch, and never where L is above `limit`. Returns how many were taken.
  ///
  /// The inputs X stay, so the first layer's outputs Z = X W' + b follow its gradients without its weights:
  /// W -= eta dZ' X and b -= eta dZ' 1 make Z -= eta (X X' + 1) dZ. With fewer rows than inputs that is less work, and
  /// W and b move once, at the end, by the sum of all dZ.
  std::int64_t descend_repeatedly(const std::vector<torch::Tensor>& parameters, const torch::Tensor& inputs,
                                  const std::vector<WeightedTargets>& targets, double eta, std::int64_t steps,
                                  double limit);

  /// Whether that is less work than as many calls of descend().
  static bool repeats_cheaply(const torch::Tensor& inputs, std::int64_t steps) {
    constexpr std::int64_t least = 4;  // steps that pay for X X' and the last product
    return steps >= least && inputs.size(0) < inputs.size(1);
  }

  /// Forward and backward to the layers' inputs; what subtract_hessian_product needs.
  void linearise(const std::vector<torch::Tensor>& parameters, const torch::Tensor& inputs,
                 const std::vector<WeightedTargets>& targets);
  /// v -= eta (d2L/dw2) v at the point of linearise(). Returns for each task d CE_ij along v (as it was), one per row.
  std::vector<torch::Tensor> subtract_hessian_product(const std::vector<torch::Tensor>& v, double eta);

 private:
  const torch::Tensor& weight(std::size_t layer) const { return parameters_[2 * layer]; }
  const torch::Tensor& bias(std::size_t layer) const { return parameters_[2 * layer + 1]; }
  torch::Tensor rows_of(const torch::Tensor& all, std::size_t head) const;
  void start(const std::vector<torch::Tensor>& parameters, const torch::Tensor& inputs,
             const std::vector<WeightedTargets>& targets);
  void apply_layer(std::size_t layer);
  /// From the activations of the first `known` layers on.
  double forward(const std::vector<WeightedTargets>& targets, std::size_t known);
  /// Moves all but the first layer, and leaves in gradients_[0] what that moves by.
  void move_above_first(double eta);
  void move_layer(std::size_t layer, const torch::Tensor& gradient, double eta);
  void reshape(std::int64_t rows, const std::vector<WeightedTargets>& targets);

  std::size_t layers_, heads_;
  std::vector<torch::Tensor> parameters_;
  std::vector<std::int64_t> first_row_;                      ///< of each head, and the number of rows
  std::vector<torch::Tensor> activations_;                   ///< the inputs, then after each layer
  std::vector<torch::Tensor> chances_, errors_, weights_;    ///< of each head: softmax, softmax - one-hot, row weights
  std::vector<torch::Tensor> score_gradients_;               ///< of each head: weight * error
  std::vector<torch::Tensor> gradients_;                     ///< of L by each layer's output before the ReLU
  std::vector<torch::Tensor> tangents_, tangent_gradients_;  ///< directional derivatives of the two above along v
};

}  // namespace moblo::lab::nets
