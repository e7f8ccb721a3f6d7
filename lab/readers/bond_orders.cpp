#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/readers/molecule_chemistry.hpp"

namespace moblo::lab::readers {
namespace {

constexpr double slack = 0.3;  ///< Angstrom; 0.4 would bond the opposite atoms of bicyclo[1.1.1]pentane
constexpr double open_valence = 30, charge = 10, length_deviation = 0.05;
constexpr std::int64_t most_steps = 200'000;

/// Covalent radii in Angstrom: one for any bond (Cordero 2008), and one each for single, double and triple bonds
/// (Pyykko 2009).
struct Radii {
  double any;
  std::array<double, 3> of_order;
};

Radii radii_of(std::uint8_t z) {
  switch (z) {
    case 1:
      return {0.31, {0.32, 0.32, 0.32}};
    case 6:
      return {0.76, {0.75, 0.67, 0.60}};
    case 7:
      return {0.71, {0.71, 0.60, 0.54}};
    case 8:
      return {0.66, {0.63, 0.57, 0.53}};
    default:
      return {0.57, {0.64, 0.59, 0.53}};
  }
}

using Places = std::vector<std::array<float, 3>>;

double distance(const Places& places, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) sum += std::pow(static_cast<double>(places[i][k]) - places[j][k], 2);
  return std::sqrt(sum);
}

/// Beyond the sum of the radii; negative for short bonds.
double excess(const std::vector<std::uint8_t>& charges, const Places& places, std::size_t i, std::size_t j) {
  return distance(places, i, j) - radii_of(charges[i]).any - radii_of(charges[j]).any;
}

std::size_t most_neighbours(std::uint8_t z) {
  return z == 7 ? 4 : static_cast<std::size_t>(usual_valence(z));
}

BondTable connect(const std::vector<std::uint8_t>& charges, const Places& places) {
  struct Candidate {
    double excess;
    std::size_t i, j;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    for (std::size_t j = i + 1; j < charges.size(); ++j) {
      const double beyond = excess(charges, places, i, j);
      if (beyond < slack) candidates.push_back({beyond, i, j});
    }
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.excess, a.i, a.j) < std::tie(b.excess, b.i, b.j);
  });
  BondTable bonds(charges.size());
  std::vector<std::size_t> count(charges.size(), 0);
  for (const auto& [beyond, i, j] : candidates) {
    if (count[i] == most_neighbours(charges[i]) || count[j] == most_neighbours(charges[j])) continue;
    bonds.set(i, j, 1);
    ++count[i], ++count[j];
  }
  return bonds;
}

/// Which bonds are double or triple: depth first over those that may be, with the cost of what is decided as bound.
class OrderSearch {
 public:
  OrderSearch(const std::vector<std::uint8_t>& charges, const Places& places, const BondTable& single,
              bool allow_charges) {
    const std::size_t atoms = charges.size();
    free_.assign(atoms, 0);
    spare_.assign(atoms, 0);
    undecided_.assign(atoms, 0);
    for (std::size_t i = 0; i < atoms; ++i) {
      const int degree = static_cast<int>(single.neighbours(i).size());
      free_[i] = std::max(0, usual_valence(charges[i]) - degree);
      spare_[i] = allow_charges && charges[i] == 7 && degree < 4 ? 1 : 0;
    }
    for (std::size_t i = 0; i < atoms; ++i) {
      for (const auto j : single.neighbours(i)) {
        if (j < i || room(i) == 0 || room(j) == 0) continue;
        Choice choice{i, j, {}};
        for (std::size_t order = 0; order < 3; ++order) {
          const double usual = radii_of(charges[i]).of_order[order] + radii_of(charges[j]).of_order[order];
          choice.costs[order] = std::pow((distance(places, i, j) - usual) / length_deviation, 2);
        }
        choices_.push_back(choice);
        ++undecided_[i], ++undecided_[j];
      }
    }
    for (std::size_t i = 0; i < atoms; ++i) {
      if (undecided_[i] == 0) start_ += open_valence * free_[i];
    }
    chosen_.assign(choices_.size(), 0);
  }

  /// The cost of open valences alone is returned; the orders are written to `bonds`.
  double solve(BondTable& bonds) {
    decide(0, start_, start_);
    for (std::size_t k = 0; k < choices_.size(); ++k) {
      bonds.set(choices_[k].i, choices_[k].j, static_cast<std::uint8_t>(best_[k] + 1));
    }
    return best_open_;
  }

 private:
  struct Choice {
    std::size_t i, j;
    std::array<double, 3> costs;
  };

  int room(std::size_t atom) const { return free_[atom] + spare_[atom]; }

  /// Takes `count` of an atom's valences, the spare one last; returns what that costs.
  double take(std::size_t atom, int count) {
    const int from_spare = std::max(0, count - free_[atom]);
    free_[atom] -= count - from_spare;
    spare_[atom] -= from_spare;
    return charge * from_spare;
  }

  void decide(std::size_t k, double cost, double open) {
    if (cost >= best_cost_ || ++steps_ > most_steps) return;
    if (k == choices_.size()) {
      best_cost_ = cost;
      best_open_ = open;
      best_ = chosen_;
      return;
    }
    const auto& [i, j, costs] = choices_[k];
    --undecided_[i], --undecided_[j];
    const int most = std::min({room(i), room(j), 2});
    for (int extra = most; extra >= 0; --extra) {  // the multiple bonds first: they close valences
      const auto kept = std::array{free_[i], spare_[i], free_[j], spare_[j]};
      double more = costs[static_cast<std::size_t>(extra)], left_open = 0;
      more += take(i, extra) + take(j, extra);
      for (const auto atom : {i, j}) left_open += undecided_[atom] == 0 ? open_valence * free_[atom] : 0;
      chosen_[k] = extra;
      decide(k + 1, cost + more + left_open, open + left_open);
      free_[i] = kept[0], spare_[i] = kept[1], free_[j] = kept[2], spare_[j] = kept[3];
    }
    ++undecided_[i], ++undecided_[j];
  }

  std::vector<int> free_, spare_, undecided_;
  std::vector<Choice> choices_;
  std::vector<int> chosen_, best_;
  double start_ = 0, best_cost_ = std::numeric_limits<double>::infinity(), best_open_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

BondTable derive_bonds(const std::vector<std::uint8_t>& charges, const Places& positions) {
  const BondTable single = connect(charges, positions);
  BondTable neutral = single, charged = single;
  const double open = OrderSearch(charges, positions, single, false).solve(neutral);
  if (open == 0) return neutral;
  return OrderSearch(charges, positions, single, true).solve(charged) < open ? charged : neutral;
}

}  // namespace moblo::lab::readers
