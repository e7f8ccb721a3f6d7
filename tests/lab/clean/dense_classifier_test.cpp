#include "lab/nets/dense_classifier.hpp"

#include <gtest/gtest.h>

namespace moblo::lab::clean {
namespace {

torch::Tensor random(std::vector<std::int64_t> shape, std::uint64_t seed) {
  auto tensor = torch::empty(shape);
  Rng rng(seed);
  auto* value = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) value[i] = static_cast<float>(rng.normal());
  return tensor;
}

TEST(DenseClassifierTest, GradientIsAutograds) {
  auto network = nets::DenseClassifier::draw({5, 8, 6, 3}, 1);
  const auto inputs = random({20, 5}, 2);
  const nets::SoftTargets targets{torch::softmax(random({20, 3}, 3), 1), random({20}, 4).abs()};
  Rng unused(0);
  const auto gradient = network.gradient(inputs, targets, {}, unused).clone();
  std::vector<torch::Tensor> leaves;
  for (const auto& parameter : network.parameters()) leaves.push_back(parameter.clone().requires_grad_());
  auto values = inputs;
  for (std::size_t l = 0; l < 3; ++l) {
    values = torch::addmm(leaves[2 * l + 1], values, leaves[2 * l].t());
    if (l < 2) values = values.relu();
  }
  const auto likely = (torch::softmax(values, 1) * targets.likelihood).sum(1).log();
  std::vector<torch::Tensor> expected;
  for (const auto& piece : torch::autograd::grad({-(likely * targets.weights).mean()}, leaves)) {
    expected.push_back(piece.reshape({-1}));
  }
  EXPECT_LT((gradient - torch::cat(expected)).abs().max().item().toDouble(), 1e-6);
}

/// With a likelihood of ones nothing is known of a sample: it must teach nothing.
TEST(DenseClassifierTest, UninformativeRowsTeachNothing) {
  auto network = nets::DenseClassifier::draw({4, 8, 3}, 1);
  Rng unused(0);
  const auto gradient = network.gradient(random({10, 4}, 2), {torch::ones({10, 3}), torch::ones({10})}, {}, unused);
  EXPECT_LT(gradient.abs().max().item().toDouble(), 1e-7);
}

/// Over many masks the mean of the gradient of a linear network is the gradient without dropout, up to the softmax's
/// bend; and what is dropped is dropped.
TEST(DenseClassifierTest, DropoutIsSeededAndUnbiased) {
  auto network = nets::DenseClassifier::draw({50, 3}, 1);
  network.values().mul_(0.01);
  const auto inputs = random({20, 50}, 2);
  const nets::SoftTargets targets{torch::softmax(random({20, 3}, 3), 1), torch::ones({20})};
  Rng unused(0), masks(7), same_masks(7);
  const auto plain = network.gradient(inputs, targets, {}, unused).clone();
  EXPECT_TRUE(torch::equal(network.gradient(inputs, targets, {.inputs = 0.3}, masks).clone(),
                           network.gradient(inputs, targets, {.inputs = 0.3}, same_masks)));
  auto mean = torch::zeros_like(plain);
  for (int i = 0; i < 2000; ++i) mean += network.gradient(inputs, targets, {.inputs = 0.3}, masks) / 2000;
  EXPECT_LT((mean - plain).norm().item().toDouble(), 0.05 * plain.norm().item().toDouble());
}

TEST(DenseClassifierTest, CloneIsApart) {
  auto network = nets::DenseClassifier::draw({4, 8, 3}, 1);
  const auto before = network.values().clone();
  network.clone().values().zero_();
  EXPECT_TRUE(torch::equal(network.values(), before));
}

}  // namespace
}  // namespace moblo::lab::clean
