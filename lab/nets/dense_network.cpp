#include "lab/nets/dense_network.hpp"

#include <algorithm>
#include <cmath>

namespace moblo::lab::nets {
namespace {

/// Of each row of scores: its softmax, that less 1 at the right class, and that times the row's weight, which takes the
/// place of the scores. Returns the weighted cross entropies' sum. By hand, since a head's few values cost torch a
/// dozen calls of some microseconds, 64 times per step.
template <class T>
double differentiate_scores(const WeightedTargets& targets, const torch::Tensor& chances, const torch::Tensor& errors,
                            const torch::Tensor& scores) {
  const std::int64_t rows = scores.size(0), classes = scores.size(1);
  const auto right_classes = targets.classes.contiguous(), row_weights = targets.weights.contiguous();
  const auto* right = right_classes.data_ptr<std::int64_t>();
  const T* weights = row_weights.data_ptr<T>();
  T *chance = chances.data_ptr<T>(), *error = errors.data_ptr<T>(), *score = scores.data_ptr<T>();
  double total = 0;
  for (std::int64_t row = 0; row < rows; ++row, chance += classes, error += classes, score += classes) {
    TORCH_CHECK_INDEX(right[row] >= 0 && right[row] < classes, "class ", right[row], " of ", classes);
    const T largest = *std::max_element(score, score + classes);
    T sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += chance[c] = std::exp(score[c] - largest);
    total += static_cast<double>(weights[row] * (std::log(sum) - (score[right[row]] - largest)));
    for (std::int64_t c = 0; c < classes; ++c) {
      chance[c] /= sum;
      error[c] = chance[c] - (c == right[row] ? T(1) : T(0));
      score[c] = weights[row] * error[c];
    }
  }
  return total;
}

}  // namespace

torch::Tensor DenseNetwork::rows_of(const torch::Tensor& all, std::size_t head) const {
  return all.narrow(0, first_row_[head], first_row_[head + 1] - first_row_[head]);
}

/// Buffers are kept while the batches keep their shape.
void DenseNetwork::reshape(std::int64_t rows, const std::vector<WeightedTargets>& targets) {
  first_row_.assign(1, 0);
  for (const auto& target : targets) first_row_.push_back(first_row_.back() + target.classes.size(0));
  const auto options = parameters_.front().options().requires_grad(false);
  chances_.resize(heads_), errors_.resize(heads_), score_gradients_.resize(heads_);
  for (std::size_t i = 0; i < heads_; ++i) {
    const std::int64_t own = targets[i].classes.size(0);
    if (chances_[i].defined() && chances_[i].size(0) == own) continue;
    for (auto* of : {&chances_, &errors_, &score_gradients_}) {
      (*of)[i] = torch::empty({own, weight(layers_ + i).size(0)}, options);
    }
  }
  if (activations_.size() == layers_ + 1 && activations_.back().size(0) == rows) return;
  const auto allocate = [&](std::vector<torch::Tensor>& to) {
    to.clear();
    for (std::size_t l = 0; l < layers_; ++l) to.push_back(torch::empty({rows, weight(l).size(0)}, options));
  };
  allocate(activations_);
  activations_.insert(activations_.begin(), torch::Tensor());
  allocate(gradients_);
  allocate(tangents_);
  allocate(tangent_gradients_);
}

void DenseNetwork::start(const std::vector<torch::Tensor>& parameters, const torch::Tensor& inputs,
                         const std::vector<WeightedTargets>& targets) {
  parameters_ = parameters;
  reshape(inputs.size(0), targets);
  activations_[0] = inputs;
}

/// Before the ReLU.
void DenseNetwork::apply_layer(std::size_t layer) {
  at::addmm_out(activations_[layer + 1], bias(layer), activations_[layer], weight(layer).t());
}

double DenseNetwork::forward(const std::vector<WeightedTargets>& targets, std::size_t known) {
  for (std::size_t l = known; l < layers_; ++l) {
    apply_layer(l);
    activations_[l + 1].relu_();
  }
  weights_.clear();
  double total = 0;
  for (std::size_t i = 0; i < heads_; ++i) {
    auto& scores = score_gradients_[i];
    at::addmm_out(scores, bias(layers_ + i), rows_of(activations_.back(), i), weight(layers_ + i).t());
    const bool in_double = scores.scalar_type() == torch::kFloat64;
    const auto differentiate = in_double ? differentiate_scores<double> : differentiate_scores<float>;
    total += differentiate(targets[i], chances_[i], errors_[i], scores);
    weights_.push_back(targets[i].weights.unsqueeze(1));
  }
  return total;
}

void DenseNetwork::move_layer(std::size_t layer, const torch::Tensor& gradient, double eta) {
  parameters_[2 * layer].addmm_(gradient.t(), activations_[layer], 1, -eta);
  parameters_[2 * layer + 1].sub_(gradient.sum(0), eta);
}

void DenseNetwork::move_above_first(double eta) {
  auto& top = gradients_.back();
  for (std::size_t i = 0; i < heads_; ++i) {
    const auto& score_gradient = score_gradients_[i];
    auto rows = rows_of(top, i);
    at::mm_out(rows, score_gradient, weight(layers_ + i));  // before the weight moves
    parameters_[2 * (layers_ + i)].addmm_(score_gradient.t(), rows_of(activations_.back(), i), 1, -eta);
    parameters_[2 * (layers_ + i) + 1].sub_(score_gradient.sum(0), eta);
  }
  for (std::size_t l = layers_; l-- > 0;) {
    auto& gradient = gradients_[l];
    at::threshold_backward_out(gradient, gradient, activations_[l + 1], 0);
    if (l == 0) return;
    at::mm_out(gradients_[l - 1], gradient, weight(l));
    move_layer(l, gradient, eta);
  }
}

double DenseNetwork::descend(const std::vector<torch::Tensor>& parameters, const torch::Tensor& inputs,
                             const std::vector<WeightedTargets>& targets, double eta) {
  const torch::NoGradGuard no_grad;
  start(parameters, inputs, targets);
  const double loss = forward(targets, 0);
  move_above_first(eta);
  move_layer(0, gradients_[0], eta);
  return loss;
}

std::int64_t DenseNetwork::descend_repeatedly(const std::vector<torch::Tensor>& parameters, const torch::Tensor& inputs,
                                              const std::vector<WeightedTargets>& targets, double eta,
                                              std::int64_t steps, double limit) {
  const torch::NoGradGuard no_grad;
  start(parameters, inputs, targets);
  apply_layer(0);
  auto outputs = activations_[1].clone();
  const auto products = at::mm(inputs, inputs.t()).add_(1);
  auto sum = at::zeros_like(outputs);
  std::int64_t taken = 0;
  for (; taken < steps; ++taken) {
    at::clamp_min_out(activations_[1], outputs, 0);
    if (!(forward(targets, 1) <= limit)) break;
    move_above_first(eta);
    sum.add_(gradients_[0]);
    outputs.addmm_(products, gradients_[0], 1, -eta);
  }
  move_layer(0, sum, eta);
  return taken;
}

void DenseNetwork::linearise(const std::vector<torch::Tensor>& parameters, const torch::Tensor& inputs,
                             const std::vector<WeightedTargets>& targets) {
  const torch::NoGradGuard no_grad;
  start(parameters, inputs, targets);
  forward(targets, 0);
  for (std::size_t i = 0; i < heads_; ++i) {
    auto rows = rows_of(gradients_.back(), i);
    at::mm_out(rows, score_gradients_[i], weight(layers_ + i));
  }
  for (std::size_t l = layers_; l-- > 0;) {
    at::threshold_backward_out(gradients_[l], gradients_[l], activations_[l + 1], 0);
    if (l > 0) at::mm_out(gradients_[l - 1], gradients_[l], weight(l));
  }
}

/// The forward and the backward pass, each differentiated along v (Pearlmutter's R operator). With R = d/dv:
///   R A_l = mask (A_{l-1} V_l' + v_l + R A_{l-1} W_l'),    R P = P (R S - <P, R S>),
///   R dZ_l = mask (R dZ_{l+1} W_{l+1} + dZ_{l+1} V_{l+1}),  R dW_l = (R dZ_l)' A_{l-1} + dZ_l' R A_{l-1}.
std::vector<torch::Tensor> DenseNetwork::subtract_hessian_product(const std::vector<torch::Tensor>& v, double eta) {
  const torch::NoGradGuard no_grad;
  for (std::size_t l = 0; l < layers_; ++l) {
    auto& tangent = tangents_[l];
    at::addmm_out(tangent, v[2 * l + 1], activations_[l], v[2 * l].t());
    if (l > 0) tangent.addmm_(tangents_[l - 1], weight(l).t());
    at::threshold_backward_out(tangent, tangent, activations_[l + 1], 0);
  }
  std::vector<torch::Tensor> along;
  for (std::size_t i = 0; i < heads_; ++i) {
    const std::size_t h = layers_ + i;
    const auto features = rows_of(activations_.back(), i), features_tangent = rows_of(tangents_.back(), i);
    auto scores = at::addmm(v[2 * h + 1], features, v[2 * h].t());
    scores.addmm_(features_tangent, weight(h).t());
    along.push_back((errors_[i] * scores).sum(1));
    const auto weighted = chances_[i] * scores;
    const auto change = (weighted - chances_[i] * weighted.sum(1, /*keepdim=*/true)).mul_(weights_[i]);
    auto rows = rows_of(tangent_gradients_.back(), i);
    at::mm_out(rows, change, weight(h));
    rows.addmm_(score_gradients_[i], v[2 * h]);
    auto to = v[2 * h], to_bias = v[2 * h + 1];
    to.addmm_(change.t(), features, 1, -eta).addmm_(score_gradients_[i].t(), features_tangent, 1, -eta);
    to_bias.sub_(change.sum(0), eta);
  }
  for (std::size_t l = layers_; l-- > 0;) {
    auto& gradient = tangent_gradients_[l];
    at::threshold_backward_out(gradient, gradient, activations_[l + 1], 0);
    if (l > 0) {
      at::mm_out(tangent_gradients_[l - 1], gradient, weight(l));
      tangent_gradients_[l - 1].addmm_(gradients_[l], v[2 * l]);
    }
    auto to = v[2 * l], to_bias = v[2 * l + 1];
    to.addmm_(gradient.t(), activations_[l], 1, -eta);
    if (l > 0) to.addmm_(gradients_[l].t(), tangents_[l - 1], 1, -eta);
    to_bias.sub_(gradient.sum(0), eta);
  }
  return along;
}

}  // namespace moblo::lab::nets
