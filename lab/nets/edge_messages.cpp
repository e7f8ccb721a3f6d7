#include "lab/nets/edge_messages.hpp"

namespace moblo::lab::nets {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

/// Enough rows to make the products over atoms efficient, few enough for s (8 k floats an atom) to stay in cache.
constexpr std::int64_t group_atoms = 128;

/// Where a molecule's rows begin; `row` among its group's atoms.
struct Molecule {
  std::int64_t atoms, node, pair, row;
};

/// Whole molecules that go through together.
struct Group {
  std::vector<Molecule> molecules;
  std::int64_t node = 0, atoms = 0;
};

std::vector<Group> groups_of(const std::vector<std::int64_t>& sizes) {
  std::vector<Group> groups;
  std::int64_t node = 0, pair = 0;
  for (const auto size : sizes) {
    if (groups.empty() || groups.back().atoms + size > group_atoms) groups.push_back({.molecules = {}, .node = node});
    auto& group = groups.back();
    group.molecules.push_back({size, node, pair, group.atoms});
    group.atoms += size;
    node += size;
    pair += size * size;
  }
  return groups;
}

torch::Tensor pairs_of(const EdgeArguments& in, const Molecule& molecule) {
  return in.pairs.narrow(0, molecule.pair, molecule.atoms * molecule.atoms);
}

/// r as [n sources, n targets x K].
torch::Tensor hidden_of(const EdgeArguments& in, const Molecule& molecule) {
  return torch::relu(torch::mm(pairs_of(in, molecule), in.weights.t())).view({molecule.atoms, -1});
}

torch::Tensor nodes_of(const torch::Tensor& nodes, const Molecule& molecule) {
  return nodes.narrow(0, molecule.node, molecule.atoms);
}

/// The rows of a group's s (or its gradient) that are one molecule's, as [n targets x K, h].
torch::Tensor sums_of(const torch::Tensor& sums, const Molecule& molecule, std::int64_t width) {
  return sums.narrow(0, molecule.row, molecule.atoms).view({-1, width});
}

/// Buffers that all groups use.
class Scratch {
 public:
  Scratch(const std::vector<Group>& groups, const EdgeArguments& in) : in_(in) {
    std::int64_t most = 0;
    for (const auto& group : groups) most = std::max(most, group.atoms);
    sums_ = at::empty({most, in.matrices.size(0)}, in.matrices.options());
  }

  torch::Tensor rows(const Group& group) const { return sums_.narrow(0, 0, group.atoms); }

  /// s of a group, [atoms, K h]; keeps each molecule's r.
  torch::Tensor sum_up(const Group& group) {
    hidden_.clear();
    auto sums = rows(group);
    for (const auto& molecule : group.molecules) {
      hidden_.push_back(hidden_of(in_, molecule));
      auto to = sums_of(sums, molecule, in_.nodes.size(1));
      at::mm_out(to, hidden_.back().t(), nodes_of(in_.nodes, molecule));
    }
    return sums;
  }
  const torch::Tensor& hidden(std::size_t molecule) const { return hidden_[molecule]; }

 private:
  const EdgeArguments& in_;
  torch::Tensor sums_;
  std::vector<torch::Tensor> hidden_;
};

struct Gradients {
  torch::Tensor weights, nodes, matrices;
};

/// With g = dL/dm: dA = s' g, ds = g A', and for a molecule dr = h ds', dh = r ds, dW = (dr where r > 0)' e.
Gradients gradients(const EdgeArguments& in, const torch::Tensor& messages, const std::vector<Group>& groups) {
  Gradients out{at::zeros_like(in.weights), at::empty_like(in.nodes), at::zeros_like(in.matrices)};
  Scratch scratch(groups, in);
  for (const auto& group : groups) {
    const auto g = messages.narrow(0, group.node, group.atoms);
    out.matrices.addmm_(scratch.sum_up(group).t(), g);
    auto change = scratch.rows(group);
    at::mm_out(change, g, in.matrices.t());
    for (std::size_t i = 0; i < group.molecules.size(); ++i) {
      const auto& molecule = group.molecules[i];
      const auto& r = scratch.hidden(i);
      const auto part = sums_of(change, molecule, in.nodes.size(1));
      auto to_nodes = nodes_of(out.nodes, molecule);
      at::mm_out(to_nodes, r, part);
      auto to_hidden = at::mm(nodes_of(in.nodes, molecule), part.t());
      at::threshold_backward_out(to_hidden, to_hidden, r, 0);
      out.weights.addmm_(to_hidden.view({-1, in.weights.size(0)}).t(), pairs_of(in, molecule));
    }
  }
  return out;
}

/// The same by operations that autograd records, for second derivatives.
Gradients recorded_gradients(const EdgeArguments& in, const torch::Tensor& messages, const std::vector<Group>& groups) {
  Gradients out{torch::zeros_like(in.weights), {}, torch::zeros_like(in.matrices)};
  std::vector<torch::Tensor> to_nodes;
  for (const auto& group : groups) {
    const auto g = messages.narrow(0, group.node, group.atoms);
    const auto change = torch::mm(g, in.matrices.t());
    std::vector<torch::Tensor> sums;
    for (const auto& molecule : group.molecules) {
      const auto r = hidden_of(in, molecule), h = nodes_of(in.nodes, molecule);
      const auto part = sums_of(change, molecule, in.nodes.size(1));
      sums.push_back(torch::mm(r.t(), h).view({molecule.atoms, -1}));
      to_nodes.push_back(torch::mm(r, part));
      const auto to_hidden = torch::mm(h, part.t()) * (r > 0);
      out.weights = out.weights + torch::mm(to_hidden.view({-1, in.weights.size(0)}).t(), pairs_of(in, molecule));
    }
    out.matrices = out.matrices + torch::mm(torch::cat(sums).t(), g);
  }
  out.nodes = torch::cat(to_nodes);
  return out;
}

struct EdgeMessages : torch::autograd::Function<EdgeMessages> {
  static Variable forward(AutogradContext* context, const Variable& pairs, const Variable& weights,
                          const Variable& nodes, const Variable& matrices, const std::vector<std::int64_t>& sizes) {
    context->save_for_backward({pairs, weights, nodes, matrices});
    context->saved_data["sizes"] = sizes;
    const EdgeArguments in{pairs, weights, nodes, matrices};
    const auto groups = groups_of(sizes);
    Scratch scratch(groups, in);
    auto messages = at::empty({nodes.size(0), matrices.size(1)}, nodes.options());
    for (const auto& group : groups) {
      auto to = messages.narrow(0, group.node, group.atoms);
      at::mm_out(to, scratch.sum_up(group), matrices);
    }
    return messages;
  }

  static variable_list backward(AutogradContext* context, variable_list messages) {
    const auto saved = context->get_saved_variables();
    const EdgeArguments in{saved[0], saved[1], saved[2], saved[3]};
    const auto groups = groups_of(context->saved_data["sizes"].toIntVector());
    const auto derive = torch::GradMode::is_enabled() ? recorded_gradients : gradients;
    const auto found = derive(in, messages[0].contiguous(), groups);
    return {Variable(), found.weights, found.nodes, found.matrices, Variable()};
  }
};

}  // namespace

torch::Tensor edge_messages(const EdgeArguments& arguments, const std::vector<std::int64_t>& sizes) {
  return EdgeMessages::apply(arguments.pairs.contiguous(), arguments.weights.contiguous(), arguments.nodes.contiguous(),
                             arguments.matrices.contiguous(), sizes);
}

}  // namespace moblo::lab::nets
