#include "lab/nets/mpnn.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/nets/edge_messages.hpp"
#include "moblo/base/error.hpp"
#include "tests/lab/nets/made_molecules.hpp"
#include "tests/lab/nets/materialised_messages.hpp"

namespace moblo::lab::nets {
namespace {

using testing::edge_matrices;
using testing::edges_of;
using testing::made_molecules;
using testing::messages_through;

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item().toDouble();
}

/// Relative to the largest value.
double relative_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return largest_difference(a, b) / b.abs().max().item().toDouble();
}

/// Molecules of several sizes: more atoms than one group holds, one molecule of a single atom.
struct Case {
  std::vector<std::int64_t> sizes{3, 29, 1, 18, 2, 27, 25, 19, 23};
  EdgeArguments in;

  explicit Case(torch::ScalarType type, std::int64_t units = 9, std::int64_t width = 6) {
    std::int64_t atoms = 0, all_pairs = 0;
    for (const auto size : sizes) atoms += size, all_pairs += size * size;
    Rng rng(7);
    const auto made = [&](std::int64_t rows, std::int64_t columns) {
      auto tensor = torch::empty({rows, columns}, type);
      draw_normal(tensor, 1, rng);
      return tensor;
    };
    in = {made(all_pairs, 5), made(units, 5), made(atoms, width), made(units * width, width)};
    const auto edges = torch::zeros({all_pairs, 1}, type).index_fill_(0, edges_of(sizes).rows, 1);
    in.pairs.mul_(edges);  // an atom sends nothing to itself
    for (auto& tensor : variables()) tensor.requires_grad_();
  }
  std::vector<torch::Tensor> variables() const { return {in.weights, in.nodes, in.matrices}; }
  torch::Tensor reassociated() const { return edge_messages(in, sizes); }
  torch::Tensor materialised() const {
    const auto edges = edges_of(sizes);
    return messages_through(edge_matrices(in, edges), in.nodes, edges);
  }
};

TEST(EdgeMessages, EqualTheMaterialisedFormInValueAndGradient) {
  const Case made(torch::kFloat32, 129, 64);
  const auto quick = made.reassociated(), plain = made.materialised();
  EXPECT_LT(relative_difference(quick, plain), 1e-5);
  const auto weights = torch::cos(torch::arange(plain.numel()).view_as(plain));
  const auto quick_gradient = torch::autograd::grad({(quick * weights).sum()}, made.variables());
  const auto plain_gradient = torch::autograd::grad({(plain * weights).sum()}, made.variables());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(relative_difference(quick_gradient[i], plain_gradient[i]), 1e-5) << i;
}

TEST(EdgeMessages, HaveTheSecondDerivativesOfTheMaterialisedForm) {
  const Case made(torch::kFloat64);
  const auto curvature = [&](const torch::Tensor& messages) {
    const auto first = torch::autograd::grad({messages.pow(3).sum()}, made.variables(), {}, {}, /*create_graph=*/true);
    return torch::autograd::grad({first[0].square().sum() + first[1].pow(3).sum() + first[2].square().sum()},
                                 made.variables());
  };
  const auto quick = curvature(made.reassociated()), plain = curvature(made.materialised());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(relative_difference(quick[i], plain[i]), 1e-10) << i;
}

class Mpnn : public ::testing::Test {
 protected:
  torch::Tensor outputs(const MoleculeArrays& molecules) {
    const torch::NoGradGuard no_grad;
    const auto features = network_->features(pack(molecules));
    std::vector<torch::Tensor> all;
    for (std::size_t task = 0; task < network_->tasks(); ++task) all.push_back(network_->head(features, task));
    return torch::cat(all, 1);
  }

  Rng rng_{1};
  std::unique_ptr<TaskNetwork> network_ = make_mpnn({}, rng_);
};

TEST_F(Mpnn, HasOneOutputATaskAndTheNumberOfParametersOfTheDefinition) {
  EXPECT_EQ(outputs(made_molecules(4, 12, 1, 12, rng_)).sizes(), at::IntArrayRef({4, 11}));
  std::int64_t parameters = 0;
  for (const auto& parameter : network_->trunk().parameters()) parameters += parameter.numel();
  const std::int64_t d = 64, edge = 5 * 128 + 128 + 128 * d * d + d * d, gru = 2 * (3 * d * d + 3 * d);
  const std::int64_t lstm = 4 * d * 2 * d + 4 * d * d + 8 * d;
  EXPECT_EQ(parameters, (11 * d + d) + edge + (d * d + d) + gru + lstm + (2 * d * d + d));
}

TEST_F(Mpnn, PaddingAndCompanyChangeNothing) {
  const auto molecules = made_molecules(5, 12, 2, 12, rng_);
  const auto together = outputs(molecules);
  const auto wide = [](const torch::Tensor& tensor, std::vector<std::int64_t> padding) {
    return torch::constant_pad_nd(tensor, padding, 3);  // whatever stands there
  };
  MoleculeArrays padded{molecules.num_atoms, wide(molecules.nodes, {0, 0, 0, 17}),
                        wide(molecules.positions, {0, 0, 0, 17}), wide(molecules.bonds, {0, 17, 0, 17})};
  EXPECT_LT(largest_difference(outputs(padded), together), 1e-5);
  MoleculeArrays last{molecules.num_atoms.narrow(0, 4, 1), molecules.nodes.narrow(0, 4, 1),
                      molecules.positions.narrow(0, 4, 1), molecules.bonds.narrow(0, 4, 1)};
  EXPECT_LT(largest_difference(outputs(last), together.narrow(0, 4, 1)), 1e-5);
}

TEST_F(Mpnn, KnowsDistancesBondsAndFeaturesButNeitherOrderNorPlace) {
  auto molecules = made_molecules(1, 9, 9, 9, rng_);
  const auto before = outputs(molecules);
  const auto order = torch::tensor(Rng(3).permutation(9));
  MoleculeArrays other{molecules.num_atoms, molecules.nodes.index_select(1, order),
                       molecules.positions.index_select(1, order) + 5,
                       molecules.bonds.index_select(1, order).index_select(2, order)};
  EXPECT_LT(largest_difference(outputs(other), before), 1e-5);
  other.bonds[0][0][1] = (other.bonds[0][0][1] + 1).remainder(5);
  EXPECT_GT(largest_difference(outputs(other), before), 1e-6);
  molecules.positions[0][0] += 1;
  EXPECT_GT(largest_difference(outputs(molecules), before), 1e-6);
}

TEST_F(Mpnn, TheEdgeNetworkMakesTheMatricesThatTheDefinitionSays) {
  const auto packed = pack(made_molecules(3, 10, 4, 10, rng_));
  auto weight = network_->trunk().named_parameters();
  const torch::NoGradGuard no_grad;
  const auto batch = unpack(packed);
  const auto edges = edges_of(batch.sizes);
  const auto features = batch.pairs.index_select(0, edges.rows).narrow(1, 0, 5);
  const auto hidden =
      torch::relu(torch::linear(features, weight["convolution.edge1.weight"], weight["convolution.edge1.bias"]));
  const auto matrices = torch::linear(hidden, weight["convolution.edge2.weight"], weight["convolution.edge2.bias"]);
  auto nodes = torch::relu(torch::linear(batch.nodes, weight["embed.weight"], weight["embed.bias"]));
  const auto degrees =
      torch::zeros({nodes.size(0), 1}).index_add_(0, edges.targets, torch::ones({matrices.size(0), 1}));
  for (int pass = 0; pass < 3; ++pass) {
    const auto mean = messages_through(matrices.view({-1, 64, 64}), nodes, edges) / degrees;
    const auto root = torch::linear(nodes, weight["convolution.root.weight"], weight["convolution.root.bias"]);
    nodes = torch::gru_cell(torch::relu(root + mean), nodes, weight["gru.weight_ih"], weight["gru.weight_hh"],
                            weight["gru.bias_ih"], weight["gru.bias_hh"]);
  }
  std::vector<torch::Tensor> whole;  // Set2Set, a molecule at a time
  std::int64_t first = 0;
  for (const auto size : batch.sizes) {
    const auto own = nodes.narrow(0, first, size);
    auto both = torch::zeros({1, 128}), question = torch::zeros({1, 64}), memory = question;
    for (int step = 0; step < 3; ++step) {
      std::tie(question, memory) =
          torch::lstm_cell(both, {question, memory}, weight["readout.cell.weight_ih"], weight["readout.cell.weight_hh"],
                           weight["readout.cell.bias_ih"], weight["readout.cell.bias_hh"]);
      const auto attention = torch::softmax(torch::mm(own, question.t()), 0);
      both = torch::cat({question, (attention * own).sum(0, true)}, 1);
    }
    whole.push_back(both);
    first += size;
  }
  const auto expected = torch::relu(torch::linear(torch::cat(whole), weight["last.weight"], weight["last.bias"]));
  EXPECT_LT(relative_difference(network_->features(packed), expected), 1e-5);
}

TEST_F(Mpnn, MoleculesThatDoNotFitAreRefusedByNumber) {
  const auto refusal = [](const MoleculeArrays& molecules) -> std::string {
    try {
      pack(molecules);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return error.what();
    }
    return "";
  };
  const auto good = made_molecules(3, 5, 2, 5, rng_);
  EXPECT_EQ(refusal(good), "");
  auto bad = good;
  bad.num_atoms = torch::tensor(std::vector<std::int64_t>{3, 6, 2});
  EXPECT_THAT(refusal(bad), ::testing::HasSubstr("num_atoms of molecule 1"));
  bad = good;
  bad.bonds = good.bonds.clone();
  bad.bonds[2][0][1] = 7;
  EXPECT_THAT(refusal(bad), ::testing::HasSubstr("bonds of molecule 2"));
  bad = good;
  bad.positions = good.positions.clone();
  bad.positions[0][0][0] = NAN;
  EXPECT_THAT(refusal(bad), ::testing::HasSubstr("values of molecule 0"));
  bad = good;
  bad.positions = torch::zeros({3, 5, 2});
  EXPECT_THAT(refusal(bad), ::testing::HasSubstr("[3, 5, 2]"));
}

}  // namespace
}  // namespace moblo::lab::nets
