#include "moblo/methods/task_backward.hpp"

#include <gtest/gtest.h>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/error.hpp"

namespace moblo::methods::task_backward_test {
namespace {

struct Network {
  Network() { torch::manual_seed(3); }
  std::vector<torch::Tensor> losses() {
    const auto hidden = torch::tanh(torch::mm(inputs, trunk));
    std::vector<torch::Tensor> all;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      all.push_back((torch::mv(hidden, heads[i]) - static_cast<double>(i)).square().mean());
    }
    return all;
  }
  TaskParameters parameters() const { return {{trunk}, {{heads[0]}, {heads[1]}, {heads[2]}}}; }
  static torch::Tensor leaf(std::vector<std::int64_t> shape) {
    return torch::randn(shape, torch::kFloat64).set_requires_grad(true);
  }

  torch::Tensor inputs = torch::randn({9, 4}, torch::kFloat64), trunk = leaf({4, 5});
  std::vector<torch::Tensor> heads = {leaf({5}), leaf({5}), leaf({5})};
};

std::unique_ptr<Weighting> started(const std::string& name, Eigen::Index tasks) {
  auto weighting = make_weighting(name);
  weighting->start(tasks);
  return weighting;
}

TEST(TaskBackward, WithEqualWeightsIsThePlainSum) {
  Network network;
  const auto weighting = started("ew", 3);
  moblo::backward(*weighting, network.losses(), network.parameters(), {});
  const auto losses = network.losses();
  const auto expected = torch::autograd::grad({losses[0] + losses[1] + losses[2]}, {network.trunk, network.heads[1]});
  EXPECT_TRUE(torch::allclose(network.trunk.grad(), expected[0], 0, 1e-14));
  EXPECT_TRUE(torch::allclose(network.heads[1].grad(), expected[1], 0, 1e-14));
}

TEST(TaskBackward, WeighsSharedGradientsAndAddsToThoseThatAreThere) {
  Network network;
  const auto weighting = started("mgda", 3);
  network.trunk.mutable_grad() = torch::ones_like(network.trunk);
  const auto weights = moblo::backward(*weighting, network.losses(), network.parameters(), {});
  auto expected = torch::ones_like(network.trunk);
  const auto losses = network.losses();
  for (int i = 0; i < 3; ++i) {
    expected += weights.shared(i) * torch::autograd::grad({losses[i]}, {network.trunk}, {}, true)[0];
  }
  EXPECT_TRUE(torch::allclose(network.trunk.grad(), expected, 0, 1e-12));
  const auto own = torch::autograd::grad({losses[2]}, {network.heads[2]})[0];
  EXPECT_TRUE(torch::allclose(network.heads[2].grad(), own, 0, 1e-14));
}

TEST(TaskBackward, LeavesAloneWhatNoLossDependsOn) {
  Network network;
  const auto unread = Network::leaf({2});
  for (const char* name : {"ew", "mgda"}) {
    moblo::backward(*started(name, 3), network.losses(), {{network.trunk, unread}, {}}, {});
    EXPECT_FALSE(unread.grad().defined());
  }
}

TEST(TaskBackward, RefusesWhatItCannotDifferentiate) {
  Network network;
  const auto weighting = started("mgda", 3);
  const auto losses = network.losses();
  EXPECT_THROW(moblo::backward(*weighting, {losses[0]}, network.parameters(), {}), Error);
  EXPECT_THROW(moblo::backward(*weighting, losses, {{}, {}}, {}), Error);
  EXPECT_THROW(moblo::backward(*weighting, losses, {{network.trunk}, {{network.trunk}, {}, {}}}, {}), Error);
  EXPECT_THROW(moblo::backward(*weighting, losses, {{network.trunk * 2}, {}}, {}), Error);
  EXPECT_THROW(moblo::backward(*weighting, {losses[0], losses[1].detach(), losses[2]}, network.parameters(), {}),
               Error);
}

TEST(TaskBackward, AggregatesRowsOfBothTypesAlike) {
  const auto rows = torch::randn({3, 70000}, torch::kFloat64);
  for (const auto& info : weighting_catalogue()) {
    const auto one = started(info.name, 3), other = started(info.name, 3);
    if (one->needs().samples > 1) continue;
    TaskStep step;
    step.losses = Eigen::Vector3d(1, 2, 3);
    const auto exact = moblo::aggregate(*one, rows, step),
               single = moblo::aggregate(*other, rows.to(torch::kFloat32), step);
    EXPECT_EQ(single.direction.scalar_type(), torch::kFloat32);
    const double difference = (exact.direction - single.direction.to(torch::kFloat64)).norm().item().toDouble();
    EXPECT_LT(difference, 1e-4 * (1 + exact.direction.norm().item().toDouble())) << info.name;
  }
}

}  // namespace
}  // namespace moblo::methods::task_backward_test
