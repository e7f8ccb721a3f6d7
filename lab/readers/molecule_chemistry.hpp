#pragma once

#include <vector>

#include "lab/readers/molecule.hpp"

namespace moblo::lab::readers {

/// Bonds by distance: atoms nearer than the sum of their covalent radii + 0.3 Angstrom are bonded, hydrogen to its
/// nearest atom only, and none to more atoms than its valence allows (the longest bonds go first). Orders are such that
/// as few valences as possible stay open and, among those, the lengths fit best; an exact search, bounded for molecules
/// far larger than these. Nitrogen may have four bonds (a positive charge) where that closes valences. Kekule's orders.
BondTable derive_bonds(const std::vector<std::uint8_t>& charges, const std::vector<std::array<float, 3>>& positions);

/// Makes bonds aromatic: rings of three to seven atoms, and pairs of them that share a bond, in which every atom has
/// a p orbital and the electrons in them are 4 n + 2.
void mark_aromatic(const std::vector<std::uint8_t>& charges, BondTable& bonds);

/// H C N O F one-hot, Z, aromatic, sp, sp2, sp3, number of bonded hydrogens. Atoms with a lone pair beside one with a
/// multiple bond are sp2: it takes part in it.
std::array<float, Molecules::features> atom_features(const std::vector<std::uint8_t>& charges, const BondTable& bonds,
                                                     std::size_t atom);

bool is_connected(const BondTable& bonds);

/// The bonds that neutral H, C, N, O, F have.
int usual_valence(std::uint8_t charge);

/// Whether every atom has the valence of its element, in Kekule's orders.
bool valences_are_usual(const std::vector<std::uint8_t>& charges, const BondTable& bonds);

}  // namespace moblo::lab::readers
