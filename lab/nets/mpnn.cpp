#include "lab/nets/mpnn.hpp"

#include "lab/nets/edge_messages.hpp"
#include "lab/nets/initial_weights.hpp"

namespace moblo::lab::nets {
namespace {

using torch::nn::Linear;

constexpr std::int64_t edge_features = 5;

/// Atoms of all molecules in slots of equal number, zero where there is none.
struct Padded {
  torch::Tensor nodes;   ///< [molecules, slots, hidden]
  torch::Tensor absent;  ///< [molecules, slots]
};

Padded pad(const torch::Tensor& nodes, const torch::Tensor& slots, std::int64_t molecules, std::int64_t atoms) {
  auto absent = torch::ones({molecules * atoms}, torch::kBool);
  absent.index_fill_(0, slots, false);
  const auto all = torch::zeros({molecules * atoms, nodes.size(1)}, nodes.options()).index_copy(0, slots, nodes);
  return {all.view({molecules, atoms, -1}), absent.view({molecules, atoms})};
}

/// Gilmer et al.'s NNConv with the mean: root h_i + bias + 1/(n-1) sum_j Theta(e_ij)' h_j, Theta by a network of one
/// hidden layer. Its output bias is the matrix of one more hidden unit that is always 1, and its hidden bias the weight
/// of the pairs' last column, which is 0 where an atom meets itself: such a pair sends nothing.
class EdgeConvolutionImpl : public torch::nn::Module {
 public:
  explicit EdgeConvolutionImpl(const MpnnOptions& options)
      : width_(options.hidden),
        edge1_(register_module("edge1", Linear(edge_features, options.edge_hidden))),
        edge2_(register_module("edge2", Linear(options.edge_hidden, width_ * width_))),
        root_(register_module("root", Linear(width_, width_))) {}

  /// W and A of edge_messages(); the same in every pass.
  struct Weights {
    torch::Tensor hidden, matrices;
  };
  Weights weights() {
    const auto one = torch::zeros({1, edge_features + 1}, edge1_->weight.options());
    one[0][edge_features] = 1;
    const auto hidden = torch::cat({edge1_->weight, edge1_->bias.unsqueeze(1)}, 1);
    const auto by_unit = edge2_->weight.t().reshape({-1, width_});
    return {torch::cat({hidden, one}), torch::cat({by_unit, edge2_->bias.view({width_, width_})})};
  }

  torch::Tensor forward(const GraphBatch& batch, const Weights& weights, const torch::Tensor& nodes,
                        const torch::Tensor& inverse_degrees) {
    const auto sum = edge_messages({batch.pairs, weights.hidden, nodes, weights.matrices}, batch.sizes);
    return root_->forward(nodes) + sum * inverse_degrees;
  }

 private:
  std::int64_t width_;
  Linear edge1_, edge2_, root_;
};
TORCH_MODULE(EdgeConvolution);

/// Vinyals et al. 2016: a recurrent cell asks, atoms answer by attention; question and answer side by side.
class Set2SetImpl : public torch::nn::Module {
 public:
  Set2SetImpl(std::int64_t width, std::int64_t steps)
      : steps_(steps), cell_(register_module("cell", torch::nn::LSTMCell(2 * width, width))) {}

  torch::Tensor forward(const Padded& atoms) {
    const auto molecules = atoms.nodes.size(0), width = atoms.nodes.size(2);
    auto question = torch::zeros({molecules, width}, atoms.nodes.options()), memory = question;
    auto both = torch::zeros({molecules, 2 * width}, atoms.nodes.options());
    for (std::int64_t step = 0; step < steps_; ++step) {
      std::tie(question, memory) = cell_->forward(both, std::make_tuple(question, memory));
      const auto scores = torch::bmm(atoms.nodes, question.unsqueeze(2)).squeeze(2);
      const auto attention = torch::softmax(scores.masked_fill(atoms.absent, -INFINITY), 1);
      const auto answer = torch::bmm(attention.unsqueeze(1), atoms.nodes).squeeze(1);
      both = torch::cat({question, answer}, 1);
    }
    return both;
  }

 private:
  std::int64_t steps_;
  torch::nn::LSTMCell cell_;
};
TORCH_MODULE(Set2Set);

torch::Tensor inverse_degrees(const std::vector<std::int64_t>& sizes, const torch::TensorOptions& options) {
  const auto counts = torch::tensor(sizes);
  const auto inverse = 1 / (counts - 1).clamp_min(1).to(options.dtype());
  return inverse.repeat_interleave(counts).unsqueeze(1);
}

class MpnnTrunkImpl : public torch::nn::Module {
 public:
  explicit MpnnTrunkImpl(const MpnnOptions& options)
      : passes_(options.passes),
        embed_(register_module("embed", Linear(options.node_features, options.hidden))),
        convolution_(register_module("convolution", EdgeConvolution(options))),
        gru_(register_module("gru", torch::nn::GRUCell(options.hidden, options.hidden))),
        readout_(register_module("readout", Set2Set(options.hidden, options.readout_steps))),
        last_(register_module("last", Linear(2 * options.hidden, options.hidden))) {}

  torch::Tensor forward(const torch::Tensor& packed) {
    const auto batch = unpack(packed.to(embed_->weight.scalar_type()));
    const auto weights = convolution_->weights();
    const auto degrees = inverse_degrees(batch.sizes, batch.nodes.options());
    auto nodes = torch::relu(embed_->forward(batch.nodes));
    for (std::int64_t pass = 0; pass < passes_; ++pass) {
      const auto message = torch::relu(convolution_->forward(batch, weights, nodes, degrees));
      nodes = gru_->forward(message, nodes);
    }
    const auto whole = readout_->forward(pad(nodes, batch.slots, packed.size(0), packed.size(1)));
    return torch::relu(last_->forward(whole));
  }

 private:
  std::int64_t passes_;
  Linear embed_;
  EdgeConvolution convolution_;
  torch::nn::GRUCell gru_;
  Set2Set readout_;
  Linear last_;
};
TORCH_MODULE(MpnnTrunk);

}  // namespace

std::unique_ptr<TaskNetwork> make_mpnn(const MpnnOptions& options, Rng& rng) {
  MpnnTrunk trunk(options);
  draw_weights(*trunk, rng);
  const std::vector<std::int64_t> outputs(static_cast<std::size_t>(options.tasks), 1);
  return assemble(torch::nn::AnyModule(trunk), linear_heads(options.hidden, outputs, rng));
}

}  // namespace moblo::lab::nets
