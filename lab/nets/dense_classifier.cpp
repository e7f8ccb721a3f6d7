#include "lab/nets/dense_classifier.hpp"

#include <cmath>

#include "lab/nets/initial_weights.hpp"

namespace moblo::lab::nets {
namespace {

std::vector<torch::Tensor> views(const torch::Tensor& flat, const std::vector<torch::Tensor>& shapes) {
  std::vector<torch::Tensor> all;
  std::int64_t at = 0;
  for (const auto& shape : shapes) {
    all.push_back(flat.narrow(0, at, shape.numel()).view(shape.sizes()));
    at += shape.numel();
  }
  return all;
}

/// 0 with probability `share`, otherwise 1 / (1 - share). Sixteen bits decide a value: four values a draw.
void fill_mask(torch::Tensor& mask, double share, Rng& rng) {
  const auto limit = static_cast<std::uint64_t>(std::lround(share * 65536));
  const auto kept = static_cast<float>(1 / (1 - share));
  auto* value = mask.data_ptr<float>();
  std::uint64_t bits = 0;
  for (std::int64_t i = 0; i < mask.numel(); ++i) {
    bits = i % 4 == 0 ? rng.next() : bits >> 16;
    value[i] = (bits & 0xffff) < limit ? 0.0F : kept;
  }
}

torch::Tensor thinned_out(const torch::Tensor& values, double share, Rng& rng) {
  auto mask = at::empty(values.sizes(), values.options());
  fill_mask(mask, share, rng);
  return mask.mul_(values);
}

}  // namespace

DenseClassifier::DenseClassifier(const std::vector<torch::Tensor>& parameters) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> flat;
  for (const auto& parameter : parameters) flat.push_back(parameter.detach().reshape({-1}));
  values_ = torch::cat(flat).to(torch::kFloat32);
  gradient_ = torch::zeros_like(values_);
  parameters_ = views(values_, parameters);
  gradients_ = views(gradient_, parameters);
}

DenseClassifier DenseClassifier::draw(const std::vector<std::int64_t>& widths, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<torch::Tensor> parameters;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const double bound = 1 / std::sqrt(static_cast<double>(widths[l]));
    for (auto tensor : {torch::empty({widths[l + 1], widths[l]}), torch::empty({widths[l + 1]})}) {
      draw_uniform(tensor, bound, rng);
      parameters.push_back(tensor);
    }
  }
  return DenseClassifier(parameters);
}

torch::Tensor DenseClassifier::log_chances(const torch::Tensor& inputs) const {
  const torch::NoGradGuard no_grad;
  auto values = inputs;
  for (std::size_t l = 0; l < layers(); ++l) {
    values = at::addmm(parameters_[2 * l + 1], values, parameters_[2 * l].t());
    if (l + 1 < layers()) values.relu_();
  }
  return at::log_softmax(values, 1);
}

void DenseClassifier::forward(const torch::Tensor& inputs, const Dropout& dropout, Rng& rng) {
  activations_.assign(1, dropout.inputs > 0 ? thinned_out(inputs, dropout.inputs, rng) : inputs);
  for (std::size_t l = 0; l < layers(); ++l) {
    auto next = at::addmm(parameters_[2 * l + 1], activations_.back(), parameters_[2 * l].t());
    if (l + 1 < layers()) {
      next.relu_();
      if (dropout.hidden > 0) next = thinned_out(next, dropout.hidden, rng);
    }
    activations_.push_back(next);
  }
}

/// What dropout kept was multiplied by 1 / (1 - share); an activation is positive exactly where it was kept and the
/// ReLU let it pass, so that the backward pass needs no mask of its own.
torch::Tensor& DenseClassifier::gradient(const torch::Tensor& inputs, const SoftTargets& targets,
                                         const Dropout& dropout, Rng& rng) {
  const torch::NoGradGuard no_grad;
  forward(inputs, dropout, rng);
  const auto chances = at::softmax(activations_.back(), 1);
  auto posterior = chances * targets.likelihood;
  posterior.div_(posterior.sum(1, /*keepdim=*/true).clamp_min_(1e-30));
  auto gradient = (chances - posterior).mul_(targets.weights.unsqueeze(1)).div_(inputs.size(0));
  for (std::size_t l = layers(); l-- > 0;) {
    at::mm_out(gradients_[2 * l], gradient.t(), activations_[l]);
    at::sum_out(gradients_[2 * l + 1], gradient, {0});
    if (l == 0) break;
    gradient = at::threshold_backward(at::mm(gradient, parameters_[2 * l]), activations_[l], 0);
    if (dropout.hidden > 0) gradient.div_(1 - dropout.hidden);
  }
  return gradient_;
}

}  // namespace moblo::lab::nets
