#pragma once

#include <torch/torch.h>

#include <vector>

#include "lab/nets/edge_messages.hpp"

namespace moblo::lab::nets::testing {

/// Rows of the pairs of two different atoms, and which atoms they are.
struct Edges {
  torch::Tensor rows, sources, targets;
};

inline Edges edges_of(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> rows, sources, targets;
  std::int64_t row = 0, first = 0;
  for (const auto size : sizes) {
    for (std::int64_t source = 0; source < size; ++source) {
      for (std::int64_t target = 0; target < size; ++target, ++row) {
        if (source == target) continue;
        rows.push_back(row);
        sources.push_back(first + source);
        targets.push_back(first + target);
      }
    }
    first += size;
  }
  return {torch::tensor(rows), torch::tensor(sources), torch::tensor(targets)};
}

/// A matrix for every edge, as published code makes them: [edges, h, out].
inline torch::Tensor edge_matrices(const EdgeArguments& in, const Edges& edges) {
  const auto hidden = torch::relu(torch::mm(in.pairs.index_select(0, edges.rows), in.weights.t()));
  return torch::mm(hidden, in.matrices.view({hidden.size(1), -1})).view({-1, in.nodes.size(1), in.matrices.size(1)});
}

/// What edge_messages() computes, from such matrices.
inline torch::Tensor messages_through(const torch::Tensor& edge_matrices, const torch::Tensor& nodes,
                                      const Edges& edges) {
  const auto messages = torch::bmm(nodes.index_select(0, edges.sources).unsqueeze(1), edge_matrices).squeeze(1);
  return torch::zeros({nodes.size(0), messages.size(1)}, nodes.options()).index_add(0, edges.targets, messages);
}

}  // namespace moblo::lab::nets::testing
