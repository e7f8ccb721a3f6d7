#include "lab/nets/weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/nets/deeplab.hpp"
#include "lab/nets/initial_weights.hpp"
#include "lab/nets/office.hpp"
#include "lab/nets/resnet.hpp"
#include "lab/readers/named_tensors.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::lab::nets {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ResNet made_backbone(std::uint64_t seed, std::int64_t width = 4) {
  ResNet network(ResNetOptions{.depth = 18, .width = width});
  Rng rng(seed);
  network->draw_weights(rng);
  for (const auto& buffer : network->named_buffers()) {
    if (buffer.key().ends_with("running_mean")) draw_normal(buffer.value(), 1, rng);
    if (buffer.key().ends_with("num_batches_tracked")) buffer.value().fill_(17);
  }
  return network;
}

void expect_equal_weights(const torch::nn::Module& a, const torch::nn::Module& b) {
  const auto first = weights_of(a), second = weights_of(b);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].name, second[i].name);
    EXPECT_EQ(first[i].bytes, second[i].bytes) << first[i].name;
  }
}

std::string refusal(torch::nn::Module& module, const std::vector<records::StoredTensor>& weights) {
  return fixtures::error_text(ErrorKind::data, [&] { load_weights(module, weights, "made.npz"); });
}

TEST(Weights, ComeBackBitForBitFromBothFormats) {
  const fixtures::TemporaryFolder folder;
  const auto network = made_backbone(1);
  for (const std::string name : {"weights.safetensors", "weights.npz"}) {
    readers::write_named_tensors(folder / name, weights_of(*network));
    auto other = made_backbone(2);
    load_weights(*other, readers::read_named_tensors(folder / name), name);
    expect_equal_weights(*other, *network);
  }
}

TEST(Weights, OfHalfPrecisionAreWidened) {
  const fixtures::TemporaryFolder folder;
  torch::nn::Linear layer(3, 2), other(3, 2);
  std::vector<records::StoredTensor> halves;
  for (const auto& item : layer->named_parameters()) {
    halves.push_back(problem::to_stored(item.key(), item.value().to(torch::kFloat16)));
  }
  for (const std::string name : {"half.safetensors", "half.npz"}) {
    torch::nn::init::zeros_(other->weight);
    readers::write_named_tensors(folder / name, halves);
    load_weights(*other, readers::read_named_tensors(folder / name), name);
    EXPECT_TRUE(other->weight.equal(layer->weight.to(torch::kFloat16).to(torch::kFloat32))) << name;
  }
}

TEST(Weights, MismatchesAreNamedAllAtOnceAndNothingIsCopied) {
  auto network = made_backbone(1);
  const auto before = made_backbone(1);
  auto weights = weights_of(*made_backbone(2));
  std::erase_if(weights, [](const auto& tensor) { return tensor.name == "layer2.0.conv1.weight"; });
  for (auto& tensor : weights) {
    if (tensor.name == "bn1.bias") tensor.shape = {2, 2};
  }
  weights.push_back(problem::to_stored("layer9.weight", torch::ones({1})));
  EXPECT_THAT(refusal(*network, weights),
              AllOf(HasSubstr("made.npz"), HasSubstr("missing: layer2.0.conv1.weight;"),
                    HasSubstr("unexpected: layer9.weight;"), HasSubstr("bn1.bias is [2, 2], not [4]")));
  expect_equal_weights(*network, *before);
}

TEST(Weights, ManyMismatchesAreCounted) {
  auto network = made_backbone(1);
  EXPECT_THAT(refusal(*network, {}), AllOf(HasSubstr("missing: bn1.bias, "), HasSubstr(" and 90 more"),
                                           Not(HasSubstr("num_batches_tracked"))));
}

TEST(Weights, OfTorchvisionGoIntoTheBackboneOfATrunk) {
  auto weights = weights_of(*made_backbone(3, 64));
  weights.push_back(problem::to_stored("fc.weight", torch::ones({1000, 512})));
  weights.push_back(problem::to_stored("fc.bias", torch::ones({1000})));
  std::erase_if(weights, [](const auto& tensor) { return tensor.name.ends_with("num_batches_tracked"); });
  Rng rng(1);
  std::vector<std::unique_ptr<TaskNetwork>> networks;
  networks.push_back(make_resnet18_office({}, rng));
  networks.push_back(make_deeplab({.depth = 18, .channels = 8}, rng));
  for (const auto& network : networks) {
    load_backbone(*network, weights, "resnet18.safetensors");
    const auto kernel = problem::from_stored(weights[weights.size() - 3]);
    EXPECT_TRUE(network->trunk().named_parameters()["backbone." + weights[weights.size() - 3].name].equal(kernel));
  }
  const auto without = make_feature_head({}, rng);
  EXPECT_THAT(fixtures::error_text(ErrorKind::config, [&] { load_backbone(*without, weights, "resnet18.npz"); }),
              HasSubstr("no backbone"));
}

}  // namespace
}  // namespace moblo::lab::nets
