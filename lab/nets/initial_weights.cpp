#include "lab/nets/initial_weights.hpp"

#include <cmath>

namespace moblo::lab::nets {
namespace {

template <class Draw>
void fill(torch::Tensor& to, Draw draw) {
  const torch::NoGradGuard no_grad;
  auto drawn = torch::empty(to.sizes(), torch::kFloat64);
  auto* data = drawn.data_ptr<double>();
  for (std::int64_t i = 0; i < drawn.numel(); ++i) data[i] = draw();
  to.copy_(drawn);
}

void draw_all_uniform(torch::nn::Module& module, std::int64_t fan_in, Rng& rng) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  for (const auto& parameter : module.parameters(/*recurse=*/false)) draw_uniform(parameter, bound, rng);
}

}  // namespace

void draw_uniform(torch::Tensor to, double bound, Rng& rng) {
  fill(to, [&] { return bound * (2 * rng.uniform() - 1); });
}

void draw_normal(torch::Tensor to, double deviation, Rng& rng) {
  fill(to, [&] { return deviation * rng.normal(); });
}

void draw_weights(torch::nn::Module& module, Rng& rng) {
  if (auto* dense = module.as<torch::nn::Linear>()) {
    draw_all_uniform(module, dense->weight.size(1), rng);
  } else if (auto* convolution = module.as<torch::nn::Conv2d>()) {
    draw_all_uniform(module, convolution->weight[0].numel(), rng);
  } else if (auto* gru = module.as<torch::nn::GRUCell>()) {
    draw_all_uniform(module, gru->weight_hh.size(1), rng);
  } else if (auto* lstm = module.as<torch::nn::LSTMCell>()) {
    draw_all_uniform(module, lstm->weight_hh.size(1), rng);
  }  // batch norms are built as the identity
  for (auto& child : module.children()) draw_weights(*child, rng);
}

}  // namespace moblo::lab::nets
