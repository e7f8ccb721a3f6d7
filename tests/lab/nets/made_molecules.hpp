#pragma once

#include <torch/torch.h>

#include "lab/nets/initial_weights.hpp"
#include "lab/nets/molecules.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::nets::testing {

/// Atoms at random places, each bonded to the next, in molecules of `fewest`..`most` atoms.
inline MoleculeArrays made_molecules(std::int64_t count, std::int64_t slots, std::int64_t fewest, std::int64_t most,
                                     Rng& rng) {
  MoleculeArrays made{torch::empty({count}, torch::kInt64), torch::empty({count, slots, 11}),
                      torch::empty({count, slots, 3}), torch::zeros({count, slots, slots}, torch::kUInt8)};
  draw_normal(made.nodes, 1, rng);
  draw_normal(made.positions, 2, rng);
  for (std::int64_t m = 0; m < count; ++m) {
    made.num_atoms[m] = fewest + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(most - fewest + 1)));
    for (std::int64_t atom = 0; atom + 1 < slots; ++atom) {
      const auto type = static_cast<std::int64_t>(1 + rng.below(4));
      made.bonds[m][atom][atom + 1] = type;
      made.bonds[m][atom + 1][atom] = type;
    }
  }
  return made;
}

}  // namespace moblo::lab::nets::testing
