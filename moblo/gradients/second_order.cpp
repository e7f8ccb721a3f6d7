#include "moblo/gradients/second_order.hpp"

#include "moblo/gradients/targets.hpp"

namespace moblo {
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
  const auto loss = problem.lower_loss(batch);
  const auto gradients = torch::autograd::grad({loss}, problem.lower().leaves(), {}, /*retain_graph=*/true,
                                               /*create_graph=*/true, /*allow_unused=*/true);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined() || !gradients[i].requires_grad()) continue;
    gradients_.push_back(gradients[i]);
    pieces_.push_back(i);
  }
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
}

torch::Tensor SecondOrder::hessian_product(const torch::Tensor& v) {
  auto product = torch::zeros_like(v);
  subtract_products(v, -1, product, {}, /*keep_graph=*/true);
  return product;
}

}  // namespace moblo
