#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/nets/deeplab.hpp"
#include "lab/nets/initial_weights.hpp"
#include "lab/nets/lenet.hpp"
#include "lab/nets/mpnn.hpp"
#include "lab/nets/office.hpp"
#include "lab/nets/resnet.hpp"
#include "lab/nets/squeezenet.hpp"
#include "moblo/base/error.hpp"
#include "tests/lab/nets/made_molecules.hpp"

namespace moblo::lab::nets {
namespace {

torch::Tensor made(at::IntArrayRef shape) {
  auto tensor = torch::empty(shape);
  Rng rng(5);
  draw_normal(tensor, 1, rng);
  return tensor;
}

std::int64_t parameters_of(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const auto& parameter : module.parameters()) count += parameter.numel();
  return count;
}

/// A small version of each network, inputs for it and what its first head must give.
struct Row {
  std::string name;
  std::function<std::unique_ptr<TaskNetwork>(Rng&)> make;
  std::function<torch::Tensor()> inputs;
  std::vector<std::int64_t> output;
};

torch::Tensor molecules() {
  Rng rng(5);
  return pack(testing::made_molecules(4, 9, 3, 9, rng));
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"lenet",
       [](Rng& rng) { return make_lenet({}, rng); },
       [] {
         return made({4, 1, 36, 36});
       },
       {4, 10}},
      {"feature_head",
       [](Rng& rng) { return make_feature_head({}, rng); },
       [] {
         return made({4, 512});
       },
       {4, 31}},
      {"office",
       [](Rng& rng) { return make_resnet18_office({}, rng); },
       [] {
         return made({2, 3, 64, 64});
       },
       {2, 31}},
      {"deeplab",
       [](Rng& rng) { return make_deeplab({.depth = 18, .width = 8, .channels = 8}, rng); },
       [] {
         return made({2, 3, 48, 64});
       },
       {2, 13, 48, 64}},
      {"mpnn", [](Rng& rng) { return make_mpnn({}, rng); }, molecules, {4, 1}},
  };
  return all;
}

class AnyNetwork : public ::testing::TestWithParam<Row> {};

TEST_P(AnyNetwork, GivesWhatItPromisesAndLearnsEverywhere) {
  Rng rng(1);
  const auto network = GetParam().make(rng);
  torch::manual_seed(1);
  const auto features = network->features(GetParam().inputs());
  EXPECT_EQ(network->head(features, 0).sizes(), at::IntArrayRef(GetParam().output));
  torch::Tensor loss = torch::zeros({});
  for (std::size_t task = 0; task < network->tasks(); ++task) {
    loss = loss + (network->head(features, task) - 1).square().mean();
  }
  loss.backward();
  const auto expect_gradients = [](const torch::nn::Module& module) {
    for (const auto& item : module.named_parameters()) {
      ASSERT_TRUE(item.value().grad().defined()) << item.key();
      EXPECT_TRUE(item.value().grad().isfinite().all().item().toBool()) << item.key();
      EXPECT_GT(item.value().grad().abs().max().item().toDouble(), 0) << item.key();
    }
  };
  expect_gradients(network->trunk());
  for (std::size_t task = 0; task < network->tasks(); ++task) expect_gradients(network->task_head(task));
}

TEST_P(AnyNetwork, StartsFromOurSeedAlone) {
  const auto weights = [](std::uint64_t torch_seed, std::uint64_t seed) {
    torch::manual_seed(torch_seed);
    Rng rng(seed);
    const auto network = GetParam().make(rng);
    std::vector<torch::Tensor> flat;
    for (const auto& parameter : network->trunk().parameters()) flat.push_back(parameter.detach().flatten());
    for (const auto& parameter : network->task_head(1).parameters()) flat.push_back(parameter.detach().flatten());
    return torch::cat(flat);
  };
  const auto first = weights(1, 3);
  EXPECT_TRUE(first.equal(weights(2, 3)));
  EXPECT_FALSE(first.equal(weights(1, 4)));
}

TEST_P(AnyNetwork, DropsTheSameUnitsFromTheSameStateOfTheGenerator) {
  Rng rng(1);
  const auto network = GetParam().make(rng);
  const auto inputs = GetParam().inputs();
  const torch::NoGradGuard no_grad;
  const auto output = [&] { return network->head(network->features(inputs), 0); };
  auto generator = at::detail::getDefaultCPUGenerator();
  const auto state = generator.get_state();
  const auto first = output();
  generator.set_state(state);
  EXPECT_TRUE(first.equal(output()));
  network->train(false);
  EXPECT_TRUE(output().equal(output()));
}

INSTANTIATE_TEST_SUITE_P(All, AnyNetwork, ::testing::ValuesIn(rows()), [](const auto& row) { return row.param.name; });

TEST(LeNet, TakesFlatImagesOfOtherSizesAndRefusesTooSmallOnes) {
  Rng rng(1);
  const auto network = make_lenet({.classes = {10}, .image = 28}, rng);
  const auto images = made({3, 1, 28, 28});
  EXPECT_TRUE(network->features(images).equal(network->features(images.flatten(1))));
  EXPECT_EQ(parameters_of(network->trunk()), 260 + 5020 + 50 * 20 * 4 * 4 + 50);
  EXPECT_THROW(make_lenet({.image = 15}, rng), Error);
}

TEST(FeatureHead, StartsAsTheProtocolSays) {
  Rng rng(1);
  const auto network = make_feature_head({}, rng);
  auto parameters = network->trunk().named_parameters();
  EXPECT_NEAR(parameters["hidden.weight"].std().item().toDouble(), 0.005, 2e-5);
  EXPECT_TRUE(parameters["hidden.bias"].equal(torch::full({512}, 0.1)));
  const auto inputs = made({64, 512});
  const auto dropped = (network->features(inputs) == 0).to(torch::kFloat32).mean().item().toDouble();
  EXPECT_NEAR(dropped, 0.75, 0.02);  // the ReLU's half and dropout's
}

TEST(SqueezeNet, HasTorchvisionsSizeAndPoolsWhatTheClassifierSees) {
  SqueezeNet network;
  EXPECT_EQ(parameters_of(*network), 1'235'496);
  Rng rng(1);
  draw_weights(*network, rng);
  network->eval();
  const torch::NoGradGuard no_grad;
  const auto images = made({2, 3, 96, 64});
  EXPECT_EQ(network->pooled(images).sizes(), at::IntArrayRef({2, 512}));
  EXPECT_EQ(network->forward(images).sizes(), at::IntArrayRef({2, 1000}));
}

TEST(ResNets, HaveTorchvisionsSizesWithoutTheirClassifier) {
  EXPECT_EQ(parameters_of(*ResNet(ResNetOptions{.depth = 18})), 11'689'512 - 513'000);
  EXPECT_EQ(parameters_of(*ResNet(ResNetOptions{.depth = 50, .dilated = true})), 25'557'032 - 2'049'000);
  EXPECT_THROW(ResNet(ResNetOptions{.depth = 34}), Error);
}

/// A dilated stage sees what the striding one sees, at four times as many places: every second value of its maps is
/// the other's, as long as nothing is cut off at the borders differently.
TEST(ResNets, DilatedOnesAgreeWithStridingOnesWhereTheseLook) {
  for (const std::int64_t depth : {18, 50}) {
    ResNet striding(ResNetOptions{.depth = depth, .width = 8}),
        dilated(ResNetOptions{.depth = depth, .width = 8, .dilated = true});
    Rng first(1), second(1);
    striding->draw_weights(first), dilated->draw_weights(second);
    striding->eval(), dilated->eval();
    const torch::NoGradGuard no_grad;
    const auto images = made({1, 3, 128, 96});
    const auto coarse = striding->forward(images), fine = dilated->forward(images);
    ASSERT_EQ(fine.size(2), 16);
    ASSERT_EQ(fine.size(3), 12);
    const auto sampled = fine.slice(2, 0, 16, 4).slice(3, 0, 12, 4);
    EXPECT_LT((sampled - coarse).abs().max().item().toDouble(), 1e-4 * coarse.abs().max().item().toDouble());
  }
}

TEST(DeepLab, RefusesImagesThatDoNotDivide) {
  Rng rng(1);
  const auto network = make_deeplab({.depth = 18, .width = 8, .channels = 8}, rng);
  try {
    network->features(made({2, 3, 48, 60}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("48x60"));
  }
}

}  // namespace
}  // namespace moblo::lab::nets
