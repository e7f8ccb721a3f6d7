#include "moblo/gradients/second_order.hpp"

#include <utility>

#include "moblo/gradients/gradient_counts.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/targets.hpp"

namespace moblo::gradients {
namespace {

void subtract(const std::vector<torch::Tensor>& outputs, const std::vector<torch::Tensor>& vectors,
              const Targets& targets, double scale, bool keep_graph) {
  if (outputs.empty()) return;  // f is linear in omega and alpha: all second derivatives vanish
  const auto products = torch::autograd::grad(outputs, targets.leaves, vectors, keep_graph, /*create_graph=*/false,
                                              /*allow_unused=*/true);
  for (std::size_t i = 0; i < products.size(); ++i) {
    if (products[i].defined()) targets.places[i].sub_(products[i], scale);
  }
}

}  // namespace

SecondOrder::SecondOrder(BilevelProblem& problem, const Batch& batch) : problem_(problem) {
  ++gradient_counts().lower;
  const auto loss = lower_loss(problem, batch);
  const auto gradients = torch::autograd::grad({loss}, problem.lower().leaves(), {}, /*retain_graph=*/true,
                                               /*create_graph=*/true, /*allow_unused=*/true);
  loss_ = value_of(loss);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    all_.push_back(gradients[i].defined() ? gradients[i].detach() : gradients[i]);
    if (!gradients[i].defined() || !gradients[i].requires_grad()) continue;
    gradients_.push_back(gradients[i]);
    pieces_.push_back(i);
  }
}

torch::Tensor SecondOrder::gradient() {
  auto flat = torch::zeros_like(problem_.lower().values());
  const auto places = problem_.lower().pieces(flat);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].defined()) places[i].copy_(all_[i]);
  }
  return flat;
}

void SecondOrder::subtract_products(const torch::Tensor& v, double scale, const torch::Tensor& from_omega,
                                    const torch::Tensor& from_alpha, bool keep_graph) {
  const auto all = problem_.lower().pieces(v);
  std::vector<torch::Tensor> vectors;
  for (const auto piece : pieces_) vectors.push_back(all[piece]);
  Targets targets;
  if (from_alpha.defined()) targets = upper_targets(problem_, from_alpha);
  if (from_omega.defined()) targets.add(problem_.lower(), from_omega);
  subtract(gradients_, vectors, targets, scale, keep_graph);
  ++gradient_counts().second_order;
}

torch::Tensor SecondOrder::hessian_product(const torch::Tensor& v) {
  auto product = torch::zeros_like(v);
  subtract_products(v, -1, product, {}, /*keep_graph=*/true);
  return product;
}

torch::Tensor mixed_products(BilevelProblem& problem, const Batch& batch, const torch::Tensor& vectors) {
  auto& upper = problem.upper();
  auto& lower = problem.lower();
  auto products = torch::zeros({vectors.size(0), upper.dense_size()}, vectors.options());
  const auto loss = lower_loss(problem, batch);
  if (!loss.requires_grad()) return products;
  ++gradient_counts().lower;
  const auto by_alpha = torch::autograd::grad({loss}, upper.leaves(), {}, /*retain_graph=*/true,
                                              /*create_graph=*/true, /*allow_unused=*/true);
  auto by_omega = torch::empty({lower.dense_size()}, vectors.options());
  Targets targets;
  targets.add(lower, by_omega);
  std::int64_t column = 0;
  for (std::size_t i = 0; i < by_alpha.size(); ++i) {
    const std::int64_t first = std::exchange(column, column + upper.leaves()[i].numel());
    if (!by_alpha[i].defined() || !by_alpha[i].requires_grad()) continue;  // f's slope along alpha does not depend on w
    const auto slopes = by_alpha[i].flatten();
    for (std::int64_t k = first; k < column; ++k) {
      by_omega.zero_();
      differentiate_into(slopes[k - first], targets, /*keep_graph=*/true);
      ++gradient_counts().second_order;
      products.select(1, k).copy_(torch::mv(vectors, by_omega));
    }
  }
  return products;
}

}  // namespace moblo::gradients
