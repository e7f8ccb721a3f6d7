#include "moblo/nets/dense_classifier.hpp"

#include <gtest/gtest.h>

namespace moblo {
namespace {

torch::Tensor random(std::vector<std::int64_t> shape, std::uint64_t seed) {
  auto tensor = torch::empty(shape);
  Rng rng(seed);
  auto* value = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) value[i] = static_cast<float>(rng.normal());
  return tensor;
}

double loss(const DenseClassifier& network, const torch::Tensor& inputs, const SoftTargets& targets) {
  const auto likely = (network.log_chances(inputs).exp() * targets.likelihood).sum(1).log();
  return -(likely * targets.weights).mean().item().toDouble();
}

TEST(DenseClassifierTest, GradientIsThatOfTheLoss) {
  auto network = DenseClassifier::draw({5, 8, 6, 3}, 1);
  const auto inputs = random({20, 5}, 2);
  const SoftTargets targets{torch::softmax(random({20, 3}, 3), 1), random({20}, 4).abs()};
  Rng unused(0);
  const auto gradient = network.gradient(inputs, targets, {}, unused).clone();
  const auto direction = random({network.values().numel()}, 5);
  auto ahead = network.clone(), behind = network.clone();
  const double step = 1e-2;
  ahead.values().add_(direction, step);
  behind.values().sub_(direction, step);
  const double slope = (loss(ahead, inputs, targets) - loss(behind, inputs, targets)) / (2 * step);
  EXPECT_NEAR(slope, gradient.dot(direction).item().toDouble(), 2e-3 * std::abs(slope) + 1e-3);
}

/// With a likelihood of ones nothing is known of a sample: it must teach nothing.
TEST(DenseClassifierTest, UninformativeRowsTeachNothing) {
  auto network = DenseClassifier::draw({4, 8, 3}, 1);
  Rng unused(0);
  const auto gradient = network.gradient(random({10, 4}, 2), {torch::ones({10, 3}), torch::ones({10})}, {}, unused);
  EXPECT_LT(gradient.abs().max().item().toDouble(), 1e-7);
}

/// Over many masks the mean of the gradient of a linear network is the gradient without dropout, up to the softmax's
/// bend; and what is dropped is dropped.
TEST(DenseClassifierTest, DropoutIsSeededAndUnbiased) {
  auto network = DenseClassifier::draw({50, 3}, 1);
  network.values().mul_(0.01);
  const auto inputs = random({20, 50}, 2);
  const SoftTargets targets{torch::softmax(random({20, 3}, 3), 1), torch::ones({20})};
  Rng unused(0), masks(7), same_masks(7);
  const auto plain = network.gradient(inputs, targets, {}, unused).clone();
  EXPECT_TRUE(torch::equal(network.gradient(inputs, targets, {.inputs = 0.3}, masks).clone(),
                           network.gradient(inputs, targets, {.inputs = 0.3}, same_masks)));
  auto mean = torch::zeros_like(plain);
  for (int i = 0; i < 2000; ++i) mean += network.gradient(inputs, targets, {.inputs = 0.3}, masks) / 2000;
  EXPECT_LT((mean - plain).norm().item().toDouble(), 0.05 * plain.norm().item().toDouble());
}

TEST(DenseClassifierTest, CloneIsApart) {
  auto network = DenseClassifier::draw({4, 8, 3}, 1);
  const auto before = network.values().clone();
  network.clone().values().zero_();
  EXPECT_TRUE(torch::equal(network.values(), before));
}

}  // namespace
}  // namespace moblo
