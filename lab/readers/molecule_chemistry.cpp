#include "lab/readers/molecule_chemistry.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace moblo::lab::readers {
namespace {

constexpr std::size_t smallest_ring = 3, largest_ring = 7;
constexpr std::uint8_t aromatic = static_cast<std::uint8_t>(Bond::aromatic);

using Ring = std::vector<std::size_t>;  ///< atoms, each bonded to the next, the last to the first

/// All rings up to a size without a bond across, each once: from their smallest atom, in the direction of its smaller
/// neighbour.
class RingSearch {
 public:
  RingSearch(const BondTable& bonds, const std::vector<bool>& allowed) : bonds_(bonds), allowed_(allowed) {}

  std::vector<Ring> find() {
    for (std::size_t first = 0; first < bonds_.atoms(); ++first) {
      if (!allowed_[first]) continue;
      path_ = {first};
      extend();
    }
    return std::move(rings_);
  }

 private:
  void extend() {
    if (path_.size() >= smallest_ring && bonds_.bonded(path_.back(), path_.front())) {
      if (path_[1] < path_.back()) rings_.push_back(path_);
      return;  // whatever is longer has this bond across
    }
    if (path_.size() == largest_ring) return;
    for (const auto next : bonds_.neighbours(path_.back())) {
      if (!allowed_[next] || next <= path_.front() || touches_the_middle(next)) continue;
      path_.push_back(next);
      extend();
      path_.pop_back();
    }
  }

  bool touches_the_middle(std::size_t next) const {
    for (std::size_t k = 1; k + 1 < path_.size(); ++k) {
      if (path_[k] == next || bonds_.bonded(path_[k], next)) return true;
    }
    return false;
  }

  const BondTable& bonds_;
  const std::vector<bool>& allowed_;
  Ring path_;
  std::vector<Ring> rings_;
};

using BondSet = std::set<std::pair<std::size_t, std::size_t>>;

BondSet bonds_of(const Ring& ring) {
  BondSet all;
  for (std::size_t k = 0; k < ring.size(); ++k) all.insert(std::minmax(ring[k], ring[(k + 1) % ring.size()]));
  return all;
}

int sum_of_orders(const BondTable& bonds, std::size_t atom) {
  int sum = 0;
  for (std::size_t j = 0; j < bonds.atoms(); ++j) sum += bonds.at(atom, j);
  return sum;
}

/// In Kekule's orders. Carbon with three bonds has one, and a negative charge.
bool has_lone_pair(const std::vector<std::uint8_t>& charges, const BondTable& bonds, std::size_t atom) {
  const std::uint8_t z = charges[atom];
  return z == 8 || ((z == 6 || z == 7) && sum_of_orders(bonds, atom) <= 3);
}

bool has_multiple(const BondTable& bonds, std::size_t atom) {
  for (std::size_t j = 0; j < bonds.atoms(); ++j) {
    if (bonds.at(atom, j) > 1) return true;
  }
  return false;
}

constexpr int no_p_orbital = -1;

/// Electrons that an atom gives to the rings whose bonds are `ring_bonds`, in Kekule's orders.
int pi_electrons(const std::vector<std::uint8_t>& charges, const BondTable& bonds, std::size_t atom,
                 const BondSet& ring_bonds) {
  int doubles = 0, electrons = no_p_orbital;
  for (const auto j : bonds.neighbours(atom)) {
    if (bonds.at(atom, j) == 3) return no_p_orbital;
    if (bonds.at(atom, j) != 2) continue;
    ++doubles;
    if (ring_bonds.contains(std::minmax(atom, j))) {
      electrons = 1;
    } else if (charges[j] > charges[atom]) {
      electrons = 0;  // the partner outside draws them to itself
    } else {
      return no_p_orbital;
    }
  }
  if (doubles > 1) return no_p_orbital;
  if (doubles == 1) return electrons;
  return has_lone_pair(charges, bonds, atom) ? 2 : no_p_orbital;
}

bool huckel(const std::vector<std::uint8_t>& charges, const BondTable& bonds, const std::set<std::size_t>& atoms,
            const BondSet& all_ring_bonds) {
  int sum = 0;
  for (const auto atom : atoms) {
    const int electrons = pi_electrons(charges, bonds, atom, all_ring_bonds);
    if (electrons == no_p_orbital) return false;
    sum += electrons;
  }
  return sum % 4 == 2;
}

BondSet in_one_only(const BondSet& a, const BondSet& b) {
  BondSet out;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
  return out;
}

}  // namespace

std::vector<std::size_t> BondTable::neighbours(std::size_t atom) const {
  std::vector<std::size_t> found;
  for (std::size_t j = 0; j < atoms_; ++j) {
    if (bonded(atom, j)) found.push_back(j);
  }
  return found;
}

int usual_valence(std::uint8_t charge) {
  switch (charge) {
    case 6:
      return 4;
    case 7:
      return 3;
    case 8:
      return 2;
    default:
      return 1;
  }
}

void mark_aromatic(const std::vector<std::uint8_t>& charges, BondTable& bonds) {
  std::vector<bool> flat(charges.size());
  for (std::size_t i = 0; i < flat.size(); ++i) {
    flat[i] = charges[i] > 1 && bonds.neighbours(i).size() <= 3 &&
              (has_multiple(bonds, i) || has_lone_pair(charges, bonds, i));
  }
  const auto rings = RingSearch(bonds, flat).find();
  std::vector<BondSet> edges;
  BondSet all;
  for (const auto& ring : rings) {
    edges.push_back(bonds_of(ring));
    all.insert(edges.back().begin(), edges.back().end());
  }
  BondSet found;
  for (std::size_t a = 0; a < rings.size(); ++a) {
    if (huckel(charges, bonds, {rings[a].begin(), rings[a].end()}, all)) found.insert(edges[a].begin(), edges[a].end());
    for (std::size_t b = a + 1; b < rings.size(); ++b) {
      const BondSet outline = in_one_only(edges[a], edges[b]);
      if (outline.size() != edges[a].size() + edges[b].size() - 2) continue;  // fused: exactly one bond in common
      std::set<std::size_t> atoms(rings[a].begin(), rings[a].end());
      atoms.insert(rings[b].begin(), rings[b].end());
      if (huckel(charges, bonds, atoms, all)) found.insert(outline.begin(), outline.end());
    }
  }
  for (const auto& [i, j] : found) bonds.set(i, j, aromatic);
}

std::array<float, Molecules::features> atom_features(const std::vector<std::uint8_t>& charges, const BondTable& bonds,
                                                     std::size_t atom) {
  const std::uint8_t z = charges[atom];
  int triples = 0, doubles = 0, aromatics = 0, hydrogens = 0, degree = 0;
  bool beside_multiple = false;
  for (const auto j : bonds.neighbours(atom)) {
    const auto order = bonds.at(atom, j);
    triples += order == 3, doubles += order == 2, aromatics += order == aromatic, hydrogens += charges[j] == 1;
    beside_multiple = beside_multiple || has_multiple(bonds, j);
    ++degree;
  }
  const bool sp = triples > 0 || doubles > 1;
  const bool gives_lone_pair = z > 5 && z < 9 && degree <= 3 && beside_multiple;
  const bool sp2 = !sp && (doubles > 0 || aromatics > 0 || gives_lone_pair);
  const bool sp3 = z > 1 && !sp && !sp2;
  const auto flag = [](bool set) { return set ? 1.0F : 0.0F; };
  return {flag(z == 1),
          flag(z == 6),
          flag(z == 7),
          flag(z == 8),
          flag(z == 9),
          static_cast<float>(z),
          flag(aromatics > 0),
          flag(sp),
          flag(sp2),
          flag(sp3),
          static_cast<float>(hydrogens)};
}

bool is_connected(const BondTable& bonds) {
  std::vector<bool> reached(bonds.atoms(), false);
  std::vector<std::size_t> todo{0};
  std::size_t count = 0;
  while (!todo.empty()) {
    const std::size_t atom = todo.back();
    todo.pop_back();
    if (reached[atom]) continue;
    reached[atom] = true;
    ++count;
    for (const auto j : bonds.neighbours(atom)) todo.push_back(j);
  }
  return count == bonds.atoms();
}

bool valences_are_usual(const std::vector<std::uint8_t>& charges, const BondTable& bonds) {
  for (std::size_t i = 0; i < charges.size(); ++i) {
    if (sum_of_orders(bonds, i) != usual_valence(charges[i])) return false;
  }
  return true;
}

}  // namespace moblo::lab::readers
