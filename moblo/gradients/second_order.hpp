#pragma once

#include <torch/types.h>

#include <vector>

#include "moblo/problem/problem.hpp"

namespace moblo::gradients {

/// grad_w f(alpha, w) at the omega that the pack is bound to, differentiable once more: one graph serves the products
/// of all objectives. With open slices the rows of the batch take part.
class SecondOrder {
 public:
  SecondOrder(BilevelProblem& problem, const Batch& batch);

  /// from_omega -= scale (d2f/dw2) v,  from_alpha -= scale (d2f/dalpha dw) v.  The last product may free the graph.
  void subtract_products(const torch::Tensor& v, double scale, const torch::Tensor& from_omega,
                         const torch::Tensor& from_alpha, bool keep_graph);
  /// (d2f/dw2) v.
  torch::Tensor hessian_product(const torch::Tensor& v);

  /// f on the batch, and grad_w f, flat.
  double loss() const { return loss_; }
  torch::Tensor gradient();

 private:
  BilevelProblem& problem_;
  double loss_ = 0;
  std::vector<torch::Tensor> all_;        // grad_w f, one per lower leaf; undefined where f does not read it
  std::vector<torch::Tensor> gradients_;  // pieces of grad_w f that depend on anything
  std::vector<std::size_t> pieces_;       // which of the lower leaves they belong to
};

/// Row i = (d2f/dalpha dw) vectors[i], alpha's dense coordinates: by alpha first, then by w once for each coordinate.
/// Where alpha enters f at its end (weights of losses) these are plain backward passes, half the cost of SecondOrder's.
torch::Tensor mixed_products(BilevelProblem& problem, const Batch& batch, const torch::Tensor& vectors);

}  // namespace moblo::gradients
