#pragma once

#include <torch/torch.h>

#include <vector>

namespace moblo::lab::nets {

/// The sum over the atoms of a molecule of edge-conditioned messages, without the matrices of the edges:
///
///   m_i = sum_j Theta(r_ij)' h_j,   Theta(r) = sum_k r[k] A_k,   r_ij = relu(W e_ij)
///       = sum_k A_k' s_ik,          s_ik = sum_j r_ij[k] h_j
///
/// Theta (h x out for every pair) is never made: s is one product per molecule, m one product over atoms. Atoms go
/// through in small groups, and the derivatives make r and s again, so that memory is that of the arguments. Twice
/// differentiable, but for the pairs, which count as data.
struct EdgeArguments {
  torch::Tensor pairs;     ///< e, [sum of n^2, features], molecule by molecule, source atom first
  torch::Tensor weights;   ///< W, [K, features]
  torch::Tensor nodes;     ///< h, [N, h]
  torch::Tensor matrices;  ///< A, [K h, out]; row k h + c is A_k[c]
};

torch::Tensor edge_messages(const EdgeArguments& arguments, const std::vector<std::int64_t>& sizes);

}  // namespace moblo::lab::nets
