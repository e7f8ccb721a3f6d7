#pragma once

#include <torch/torch.h>

#include <vector>

namespace moblo::lab::nets {

/// Molecules as a reader gives them, padded to A atoms.
struct MoleculeArrays {
  torch::Tensor num_atoms;  ///< [M] whole numbers, 1..A
  torch::Tensor nodes;      ///< [M, A, node features]
  torch::Tensor positions;  ///< [M, A, 3]
  torch::Tensor bonds;      ///< [M, A, A] 0 none, 1 single, 2 double, 3 triple, 4 aromatic
};

/// One float tensor [M, A, 1 + node features + 3 + A] whose rows are molecules: each atom's row holds 1 (0 where there
/// is no atom), its features, its position and its bonds. Refuses by Error(data) what does not fit.
torch::Tensor pack(const MoleculeArrays& molecules);

/// A batch without padding: atoms of all molecules one below another, and all ordered pairs of atoms within a molecule.
struct GraphBatch {
  torch::Tensor nodes;              ///< [N, node features]
  torch::Tensor pairs;              ///< [sum of n^2, 6]: bond one-hot 4, distance, 1; all 0 where an atom meets itself
  std::vector<std::int64_t> sizes;  ///< n of each molecule
  torch::Tensor slots;              ///< [N] where an atom stood among the molecules x A padded ones
};

GraphBatch unpack(const torch::Tensor& packed);

}  // namespace moblo::lab::nets
